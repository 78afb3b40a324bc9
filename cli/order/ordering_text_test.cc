#include "cli/order/ordering_text.h"

#include <gtest/gtest.h>

#include <vector>

#include "profile/computed.h"

namespace gprofhub::cli {
namespace {

// caller → callee, `count` times.
profile::ComputedProfile Pair(const std::string& caller, const std::string& callee,
                              uint64_t count) {
  profile::ComputedProfile profile;
  profile.strings = {"", caller, callee, "app.cc"};
  profile.functions.resize(2);
  profile.functions[0].name = 1;
  profile.functions[0].file = 3;
  profile.functions[0].size = 100;
  profile.functions[1].name = 2;
  profile.functions[1].file = 3;
  profile.functions[1].size = 40;
  profile.functions[1].calls = count;
  profile.arcs.resize(1);
  profile.arcs[0].callee = 1;
  profile.arcs[0].count = count;
  return profile;
}

analyzer::OrderingGraph GraphOf(const std::vector<profile::ComputedProfile>& profiles) {
  analyzer::OrderingGraphBuilder builder;
  for (const profile::ComputedProfile& profile : profiles) builder.AddRun(profile);
  return builder.Take();
}

TEST(OrderingText, NamesTheFunctionsOfAllProfilesByAnyAlgorithm) {
  for (const char* algorithm : {"default", "cdsort", "c3", "gprof"}) {
    const absl::StatusOr<std::string> file =
        OrderingTextOf(GraphOf({Pair("main", "parse", 3), Pair("main", "print", 9)}), algorithm);
    ASSERT_TRUE(file.ok()) << file.status();
    for (const char* name : {"\nmain\n", "\nparse\n", "\nprint\n"}) {
      EXPECT_NE(file->find(name), std::string::npos) << algorithm << ": " << *file;
    }
  }
}

TEST(OrderingText, GivesTheCallsToALinkerThatSorts) {
  const absl::StatusOr<std::string> file = OrderingTextOf(
      GraphOf({Pair("main", "parse", 3), Pair("main", "parse", 9)}), kCallGraphAlgorithm);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(*file, "main parse 12\n");
}

TEST(OrderingText, AsGprofPutsWhatNobodyCallsLast) {
  const absl::StatusOr<std::string> file =
      OrderingTextOf(GraphOf({Pair("main", "parse", 3)}), "gprof");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_LT(file->find("\nparse\n"), file->find("\nmain\n")) << *file;
}

TEST(OrderingText, RefusesAnUnknownAlgorithm) {
  EXPECT_EQ(OrderingTextOf(analyzer::OrderingGraph(), "fastest").status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace gprofhub::cli
