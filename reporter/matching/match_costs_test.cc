#include "reporter/matching/match_costs.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reporter/matching/function_index.h"
#include "reporter/testing/matched_sides.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

using ::testing::ElementsAre;

const FunctionPair& Named(const MatchedTarget& matched, const std::string& name) {
  for (const FunctionPair& pair : matched.functions) {
    if (pair.name == name) return pair;
  }
  ADD_FAILURE() << name << " is not there";
  return matched.functions.front();
}

// main → f, `calls` times; f calls itself `recursive` times.
ProfileBuilder Program(uint64_t calls, double self = 0, uint64_t recursive = 0) {
  ProfileBuilder builder;
  builder.Function("main").Function("f", self, 2 * self, "f.cc", 30).Size(64);
  builder.Arc("main", "f", calls);
  if (recursive > 0) builder.Arc("f", "f", recursive);
  return builder;
}

TEST(AddCosts, SumsTheRunsOfASideAndKeepsEachOnesTimes) {
  const MatchedSides sides({Program(10, 3, 2).Build(), Program(10, 5, 2).Build()},
                           {Program(7, 11).Build()});
  const FunctionPair& f = Named(sides.matched, "f");
  EXPECT_EQ(f.before.calls.sum, 24u) << "recursive ones included";
  EXPECT_TRUE(f.before.calls.repeats);
  EXPECT_EQ(f.before.self_samples, 8);
  EXPECT_EQ(f.before.child_samples, 16);
  EXPECT_EQ(f.before.size, 64u);
  EXPECT_EQ(f.before.file, "f.cc");
  EXPECT_EQ(f.before.line, 30u);
  EXPECT_EQ(f.after.calls.sum, 7u);
  EXPECT_THAT(f.self_by_run, ElementsAre(3, 5, 11));
  EXPECT_THAT(f.child_by_run, ElementsAre(6, 10, 22));
}

TEST(AddCosts, AFunctionThatSomeRunsLackDoesNotRepeat) {
  ProfileBuilder without;
  without.Function("main");
  for (const bool lacking_first : {false, true}) {
    std::vector<profile::ComputedProfile> runs = {Program(10).Build(), without.Build()};
    if (lacking_first) std::swap(runs[0], runs[1]);
    const MatchedSides sides(runs, {without.Build()});
    const FunctionPair& f = Named(sides.matched, "f");
    EXPECT_TRUE(f.before.present());
    EXPECT_EQ(f.before.calls.sum, 10u);
    EXPECT_FALSE(f.before.calls.repeats);
    EXPECT_FALSE(f.after.present());
    EXPECT_TRUE(f.after.calls.repeats);
  }
}

TEST(AddCosts, TheSizeIsThatOfTheFunctionAndItsClonesInTheLargestRun) {
  ProfileBuilder whole = Program(1), split = Program(1);
  split.Function("f.part.0").Size(48);
  const MatchedSides sides({whole.Build(), split.Build(), whole.Build()}, {whole.Build()});
  EXPECT_EQ(Named(sides.matched, "f").before.size, 112u);
  EXPECT_EQ(Named(sides.matched, "f").after.size, 64u);
}

TEST(AddCosts, WhatAFunctionAndItsClonesHaveAmongEachOtherIsTakenOut) {
  ProfileBuilder builder;
  builder.Function("main", 0, 100).Function("f", 60, 40).Function("f.part.0", 40);
  builder.Arc("main", "f", 10).Arc("f", "f.part.0", 30);
  profile::ComputedProfile profile = builder.Build();
  profile.arcs[1].self_samples = 40;
  const MatchedSides sides({profile}, {profile});
  const FunctionPair& f = Named(sides.matched, "f");
  EXPECT_EQ(f.before.calls.sum, 10u);
  EXPECT_EQ(f.before.self_samples, 100);
  EXPECT_EQ(f.before.child_samples, 0);
  EXPECT_THAT(f.self_by_run, ElementsAre(100, 100));
  EXPECT_THAT(f.child_by_run, ElementsAre(0, 0));
}

TEST(AddCosts, APlaceIsTheFunctionsOwnNotItsClones) {
  ProfileBuilder builder;
  // Cold parts come first in a program's text.
  builder.Function("f.cold", 0, 0, "f.cc", 77, true).Function("f", 0, 0, "f.cc", 30);
  ProfileBuilder alone;
  alone.Function("f.cold", 0, 0, "f.cc", 77, true);
  const MatchedSides sides({builder.Build()}, {alone.Build()});
  ASSERT_EQ(sides.matched.functions.size(), 1u);
  EXPECT_EQ(sides.matched.functions[0].before.line, 30u);
  EXPECT_EQ(sides.matched.functions[0].after.line, 77u) << "there is no other";
}

// Self and inherited samples of "f" in a run of an older commit, `older`.
std::pair<double, double> SaidOfF(const MatchedSides& sides,
                                  const profile::ComputedProfile& older) {
  MatchedTarget matched;
  std::vector<FunctionPair>& functions = matched.functions;
  FunctionIndex index(2, matched);
  for (const profile::ComputedProfile* run : {&sides.before[0], &sides.after[0]}) index.Add(*run);
  const RowMap older_rows = index.Add(older);
  functions = sides.matched.functions;  // copies with costs
  SideRuns older_runs = {{&older, 1}};
  older_runs.Add(older_rows);
  AddOlderRuns(older_runs, sides.matched.repetitions_before, 1, functions);
  for (const FunctionPair& pair : functions) {
    if (pair.name == "f") return {pair.self_by_run[1], pair.child_by_run[1]};
  }
  return {-1, -1};
}

TEST(AddOlderRuns, SpeakOfAFunctionThatWasTheBasesAlready) {
  const MatchedSides sides({Program(10, 3).Repetitions(2).Build()}, {Program(5, 3).Build()});
  // Also five calls per execution.
  const auto same = SaidOfF(sides, Program(20, 9).Repetitions(4).Build());
  EXPECT_EQ(same.first, 9);
  EXPECT_EQ(same.second, 18);
}

TEST(AddOlderRuns, SayNothingOfAFunctionThatWasAnother) {
  const MatchedSides sides({Program(10, 3).Build()}, {Program(10, 3).Build()});
  ProfileBuilder larger = Program(10, 9);
  larger.Size(65);
  ProfileBuilder without;
  without.Function("main");
  for (const ProfileBuilder& older : {Program(11, 9), larger, without}) {
    EXPECT_TRUE(std::isnan(SaidOfF(sides, older.Build()).first));
    EXPECT_TRUE(std::isnan(SaidOfF(sides, older.Build()).second));
  }
}

TEST(AddOlderRuns, SayNothingOfAFunctionThatTheBaseLacks) {
  ProfileBuilder without;
  without.Function("main");
  const MatchedSides sides({without.Build()}, {Program(10, 3).Build()});
  EXPECT_TRUE(std::isnan(SaidOfF(sides, Program(10, 3).Build()).first));
}

}  // namespace
}  // namespace gprofhub::reporter
