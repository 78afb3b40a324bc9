#include "reporter/matching/side_runs.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

TEST(SideOf, TheHeadIsAfter) {
  FunctionPair pair;
  pair.before.line = 1;
  pair.after.line = 2;
  EXPECT_EQ(SideOf(pair, false).line, 1u);
  EXPECT_EQ(SideOf(pair, true).line, 2u);
}

TEST(KindsOfArcs, OnlyTheCallOfAFunctionsOwnCloneIsWithinItsFamily) {
  ProfileBuilder builder;
  builder.Function("f").Function("f.part.0").Function("g").Function("f.copy");
  const profile::ComputedProfile functions = builder.Build();
  const auto kind = [&](uint32_t caller, uint32_t callee) {
    profile::ComputedProfile profile = functions;
    profile::ArcCost arc;
    arc.caller = caller;
    arc.callee = callee;
    profile.arcs = {arc};
    return KindsOfArcs(profile, {0, 0, 1, 0}).at(0);
  };
  EXPECT_EQ(kind(0, 1), ArcKind::kWithinFamily);
  EXPECT_EQ(kind(1, 0), ArcKind::kCall) << "the clone calls the function: recursion";
  EXPECT_EQ(kind(1, 1), ArcKind::kCall) << "the clone calls itself: recursion";
  EXPECT_EQ(kind(2, 1), ArcKind::kCall) << "another function calls the clone";
  EXPECT_EQ(kind(0, 3), ArcKind::kCall) << "the same function in another image";
  EXPECT_EQ(kind(4, 1), ArcKind::kCall) << "from outside every known function";
}

TEST(RepetitionsOf, IsOneWhereTheProfileDoesNotSay) {
  profile::ComputedProfile silent, five;
  silent.repetitions = 0;
  five.repetitions = 5;
  EXPECT_EQ(RepetitionsOf(silent), 1u);
  EXPECT_EQ(RepetitionsOf(five), 5u);
  const profile::ComputedProfile both[] = {silent, five};
  EXPECT_EQ(RepetitionsOf(both), 6u);
}

TEST(KindsOfArcs, OneCallInstructionCallsOneFunction) {
  ProfileBuilder builder;
  builder.Function("main").Function("f").Function("f.part.0").Function("g");
  // One site calls f, which usually jumps to its clone; another calls only the clone.
  builder.Arc("main", "f", 10, 1, 20).Arc("main", "f.part.0", 8, 1, 20);
  builder.Arc("main", "f.part.0", 5, 2, 40).Arc("main", "g", 5, 2, 40).Arc("", "f", 1);
  const profile::ComputedProfile profile = builder.Build();
  constexpr ArcKind kCall = ArcKind::kCall;
  EXPECT_EQ(KindsOfArcs(profile, {0, 1, 1, 2}),
            (std::vector<ArcKind>{kCall, ArcKind::kJump, kCall, kCall, kCall}));
}

// The sum of runs with (calls, executions).
Count Sum(const std::vector<std::pair<uint64_t, uint64_t>>& runs) {
  Count count;
  uint64_t before = 0;
  for (const auto& [sum, repetitions] : runs) {
    AddRun(sum, repetitions, before, count);
    before += repetitions;
  }
  return count;
}

TEST(AddRun, SumsTheRuns) { EXPECT_EQ(Sum({{10, 1}, {30, 2}, {8, 4}}).sum, 48u); }

TEST(AddRun, ACountRepeatsIfEachExecutionHadAsMany) {
  EXPECT_TRUE(Sum({{10, 1}}).repeats);
  EXPECT_TRUE(Sum({{10, 1}, {30, 3}, {20, 2}}).repeats);
  EXPECT_TRUE(Sum({{0, 1}, {0, 3}}).repeats);
}

TEST(AddRun, ACountDoesNotRepeatIfExecutionsOrRunsDiffer) {
  EXPECT_FALSE(Sum({{11, 2}}).repeats) << "eleven calls in two executions";
  EXPECT_FALSE(Sum({{10, 1}, {30, 2}}).repeats);
  EXPECT_FALSE(Sum({{0, 1}, {10, 1}}).repeats);
  EXPECT_FALSE(Sum({{10, 1}, {0, 1}}).repeats);
  EXPECT_FALSE(Sum({{10, 1}, {30, 2}, {20, 2}}).repeats) << "though the last is the mean";
}

TEST(AddRun, LargeCountsAreComparedWithoutRounding) {
  const uint64_t large = uint64_t{1} << 62;
  EXPECT_TRUE(Sum({{large, 1}, {large, 1}}).repeats);
  EXPECT_FALSE(Sum({{large, 1}, {large + 1, 1}}).repeats);
}

}  // namespace
}  // namespace gprofhub::reporter
