#include "analyzer/ordering/ordering_text.h"

#include <gtest/gtest.h>

#include <vector>

#include "profile/computed.h"

namespace gprofhub::analyzer {

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

OrderingGraph GraphOf(const std::vector<profile::ComputedProfile>& profiles) {
  OrderingGraphBuilder builder;
  for (const profile::ComputedProfile& profile : profiles) builder.AddRun(profile);
  return builder.Take();
}

TEST(OrderingText, NamesTheFunctionsOfAllProfiles) {
  const std::string file = OrderingTextOf(
      GraphOf({Pair("main", "parse", 3), Pair("main", "print", 9)}), OrderingForm::kSymbols);
  for (const char* name : {"\nmain\n", "\nparse\n", "\nprint\n"}) {
    EXPECT_NE(file.find(name), std::string::npos) << file;
  }
}

TEST(OrderingText, GivesTheCallsToALinkerThatSorts) {
  EXPECT_EQ(OrderingTextOf(GraphOf({Pair("main", "parse", 3), Pair("main", "parse", 9)}),
                           OrderingForm::kCallGraph),
            "main parse 12\n");
}

}  // namespace

}  // namespace gprofhub::analyzer
