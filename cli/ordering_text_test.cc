#include "cli/ordering_text.h"

#include <gtest/gtest.h>

namespace gprofhub {
namespace {

// caller → callee, `count` times.
ComputedProfile Pair(const std::string& caller, const std::string& callee, uint64_t count,
                     uint64_t callee_size) {
  ComputedProfile profile;
  profile.strings = {"", caller, callee, "a.c"};
  profile.functions.resize(2);
  profile.functions[0].name = 1;
  profile.functions[0].size = 100;
  profile.functions[1].name = 2;
  profile.functions[1].size = callee_size;
  profile.functions[1].calls = count;
  profile.arcs.resize(1);
  profile.arcs[0].callee = 1;
  profile.arcs[0].count = count;
  return profile;
}

TEST(SumForOrdering, AddsUpWhatIsTheSameFunction) {
  const ComputedProfile sum =
      SumForOrdering({Pair("main", "parse", 3, 40), Pair("main", "parse", 4, 50)});
  ASSERT_EQ(sum.functions.size(), 2u);
  EXPECT_EQ(sum.functions[1].calls, 7u);
  EXPECT_EQ(sum.functions[1].size, 50u);
  ASSERT_EQ(sum.arcs.size(), 1u);
  EXPECT_EQ(sum.arcs[0].count, 7u);
}

TEST(SumForOrdering, StaticFunctionsOfTwoFilesStayTwo) {
  ComputedProfile one = Pair("main", "helper", 1, 10);
  one.functions[1].is_static = true;
  one.functions[1].file = 3;
  ComputedProfile two = one;
  two.strings[3] = "b.c";
  EXPECT_EQ(SumForOrdering({one, two}).functions.size(), 3u);
}

TEST(SumForOrdering, CallsFromOutsideAreLeftOut) {
  ComputedProfile profile = Pair("main", "parse", 3, 40);
  profile.arcs[0].caller = 2;
  EXPECT_TRUE(SumForOrdering({profile}).arcs.empty());
}

TEST(SymbolFileOf, NamesTheFunctionsOfAllProfiles) {
  for (const char* algorithm : {"", "c3", "gprof"}) {
    const absl::StatusOr<std::string> file =
        SymbolFileOf({Pair("main", "parse", 3, 40), Pair("main", "print", 9, 40)}, algorithm);
    ASSERT_TRUE(file.ok()) << file.status();
    for (const char* name : {"\nmain\n", "\nparse\n", "\nprint\n"}) {
      EXPECT_NE(file->find(name), std::string::npos) << *file;
    }
  }
}

TEST(SymbolFileOf, AsGprofPutsWhatNobodyCallsLast) {
  const absl::StatusOr<std::string> file = SymbolFileOf({Pair("main", "parse", 3, 40)}, "gprof");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_LT(file->find("\nparse\n"), file->find("\nmain\n")) << *file;
}

TEST(SymbolFileOf, SaysWhichAlgorithmsThereAre) {
  EXPECT_EQ(SymbolFileOf({}, "best").status().message(),
            "algorithm: must be \"c3\" or \"gprof\"");
}

}  // namespace
}  // namespace gprofhub
