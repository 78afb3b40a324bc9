#include "reporter/comparison/pair_call_sites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "reporter/comparison/match_target.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

TEST(SameRatio, DoesNotRound) {
  const uint64_t large = 0xFFFFFFFFFFFFFFFF;
  EXPECT_TRUE(SameRatio(1, 3, 2, 6));
  EXPECT_TRUE(SameRatio(large, large - 1, large, large - 1));
  EXPECT_FALSE(SameRatio(large, large - 1, large - 1, large - 2));
}

using ::testing::ElementsAre;
using ::testing::Pair;

using Lines = std::vector<std::pair<uint32_t, uint32_t>>;  // before, after; 0: not there

// Sites of one file: (line, count).
std::vector<CallSite> Sites(const std::vector<std::pair<uint32_t, uint64_t>>& sites) {
  std::vector<CallSite> made;
  for (const auto& [line, count] : sites) made.push_back({"f.cc", line, 16 * made.size(), count});
  return made;
}

Lines Paired(const std::vector<CallSite>& before, const std::vector<CallSite>& after,
             int64_t caller_shift = 0) {
  Lines lines;
  for (const CallSitePair& pair : PairCallSites(before, 1, after, 1, caller_shift)) {
    lines.emplace_back(pair.line_before, pair.line_after);
  }
  return lines;
}

TEST(PairCallSites, KeepsTheOrder) {
  EXPECT_THAT(Paired(Sites({{10, 5}, {20, 7}}), Sites({{13, 5}, {23, 9}}), 3),
              ElementsAre(Pair(10, 13), Pair(20, 23)));
}

TEST(PairCallSites, ANewSiteHasNoPartner) {
  EXPECT_THAT(Paired(Sites({{10, 5}}), Sites({{10, 5}, {12, 4}})),
              ElementsAre(Pair(10, 10), Pair(0, 12)));
  EXPECT_THAT(Paired(Sites({{10, 5}, {12, 4}}), Sites({{10, 5}})),
              ElementsAre(Pair(10, 10), Pair(12, 0)));
  EXPECT_THAT(Paired({}, Sites({{1, 1}})), ElementsAre(Pair(0, 1)));
  EXPECT_TRUE(Paired({}, {}).empty());
}

TEST(PairCallSites, OfEqualCountsTheCallersShiftDecides) {
  EXPECT_THAT(Paired(Sites({{10, 5}}), Sites({{10, 5}, {14, 5}}), 4),
              ElementsAre(Pair(0, 10), Pair(10, 14)));
  EXPECT_THAT(Paired(Sites({{10, 5}}), Sites({{10, 5}, {14, 5}}), 0),
              ElementsAre(Pair(10, 10), Pair(0, 14)));
}

TEST(PairCallSites, CountsAreComparedPerExecution) {
  const auto pairs = PairCallSites(Sites({{10, 5}}), 1, Sites({{8, 5}, {11, 10}}), 2, 0);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[1].line_before, 10u) << "twice the count in two executions is the same";
  EXPECT_EQ(pairs[1].line_after, 11u);
}

TEST(PairCallSites, VeryManySitesArePairedByLine) {
  std::vector<std::pair<uint32_t, uint64_t>> many;
  for (uint32_t line = 1; line <= 1100; ++line) many.emplace_back(line, line);
  const Lines lines = Paired(Sites(many), Sites(many));
  EXPECT_EQ(lines.size(), 1100u);
  for (const auto& [before, after] : lines) EXPECT_EQ(before, after);
}

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

const char kO2[] = "gcc 12.2.0 -O2";
const char kO3[] = "gcc 12.2.0 -O3";

MatchedTarget Match(const ProfileBuilder& before, const ProfileBuilder& after) {
  return MatchTarget({before.Build()}, {after.Build()});
}

const FunctionPair& Named(const MatchedTarget& target, const std::string& name) {
  for (const FunctionPair& function : target.functions) {
    if (function.name == name) return function;
  }
  ADD_FAILURE() << "no function " << name;
  return target.functions.front();
}

uint32_t IndexOf(const MatchedTarget& target, const std::string& name) {
  return static_cast<uint32_t>(&Named(target, name) - target.functions.data());
}

TEST(DifferentToolchains, AreCompilersVersionsAndKnownOptions) {
  EXPECT_TRUE(DifferentToolchains(kO2, kO3));
  EXPECT_TRUE(DifferentToolchains("gcc 12.2.0", "gcc 12.3.0"));
  EXPECT_TRUE(DifferentToolchains(kO2, "clang 14.0.6"));
  EXPECT_FALSE(DifferentToolchains(kO2, kO2));
  // Unrecorded options are not a difference.
  EXPECT_FALSE(DifferentToolchains("clang 14.0.6", "clang 14.0.6 -O3"));
  EXPECT_FALSE(DifferentToolchains("", kO2));
}

TEST(ToolchainChanges, AreOfTheFunctionsThatWereCompiledOtherwise) {
  ProfileBuilder before, after;
  before.Function("a", 0, 0, "a.cc").Toolchain(kO2).Function("b", 0, 0, "b.cc").Toolchain(kO2);
  after.Function("a", 0, 0, "a.cc").Toolchain(kO3).Function("b", 0, 0, "b.cc").Toolchain(kO2);
  const MatchedTarget target = Match(before, after);
  ASSERT_EQ(target.toolchain_changes.size(), 1u);
  EXPECT_EQ(target.toolchain_changes[0].before, kO2);
  EXPECT_EQ(target.toolchain_changes[0].after, kO3);
  EXPECT_EQ(target.toolchain_changes[0].functions, 1u);
  EXPECT_EQ(target.toolchain_changes[0].files, 1u);
  EXPECT_EQ(target.files_of_known_toolchain, 2u);
  EXPECT_EQ(Named(target, "a").toolchain_change, 0);
  EXPECT_LT(Named(target, "b").toolchain_change, 0);
}

TEST(ToolchainChanges, NothingIsClaimedWhereASideDoesNotKnow) {
  ProfileBuilder before, after;
  before.Function("a");
  after.Function("a").Toolchain(kO3);
  EXPECT_TRUE(Match(before, after).toolchain_changes.empty());
}

TEST(ToolchainChanges, FunctionsOfOneSideGoWithTheirFile) {
  ProfileBuilder before, after;
  before.Function("a", 0, 0, "a.cc").Toolchain(kO2).Function("b", 0, 0, "b.cc").Toolchain(kO2);
  before.Function("gone", 0, 0, "a.cc").Toolchain(kO2).Size(10);
  after.Function("a", 0, 0, "a.cc").Toolchain(kO3).Function("b", 0, 0, "b.cc").Toolchain(kO2);
  after.Function("came", 0, 0, "b.cc").Toolchain(kO2).Size(1000);
  const MatchedTarget target = Match(before, after);
  EXPECT_EQ(Named(target, "gone").toolchain_change, 0);
  EXPECT_LT(Named(target, "came").toolchain_change, 0);
}

// libc's allocator and the program's own: which of them a run has seen is chance.
TEST(ToolchainChanges, FunctionsOfOneNameInTwoObjectsAreNotCompared) {
  const auto program = [](bool has_own, bool has_libc) {
    ProfileBuilder builder;
    builder.Function("a", 0, 0, "a.cc").Object("test").Toolchain(kO2);
    if (has_libc) builder.Function("malloc", 0, 0, "malloc.c").Object("libc").Toolchain(kO3);
    if (has_own) builder.Function("malloc", 0, 0, "own.cc").Object("test").Toolchain(kO2);
    return builder;
  };
  for (const int before : {1, 2, 3}) {
    for (const int after : {1, 2, 3}) {
      const MatchedTarget target =
          Match(program(before & 1, before & 2), program(after & 1, after & 2));
      EXPECT_TRUE(target.toolchain_changes.empty()) << before << " " << after;
    }
  }
}

TEST(ToolchainChanges, AreSeenWhereAFunctionMovedToAnotherObject) {
  ProfileBuilder before, after;
  before.Function("a", 0, 0, "a.cc").Object("test").Toolchain(kO2);
  after.Function("a", 0, 0, "a.cc").Object("liba.so").Toolchain(kO3);
  EXPECT_EQ(Match(before, after).toolchain_changes.size(), 1u);
}

TEST(ToolchainChanges, AreSeenWhereAFileWasRenamed) {
  ProfileBuilder before, after;
  before.Function("a", 0, 0, "a.cc").Object("test").Toolchain(kO2);
  after.Function("a", 0, 0, "b.cc").Object("test").Toolchain(kO3);
  EXPECT_EQ(Match(before, after).toolchain_changes.size(), 1u);
}

TEST(CallsAreTheSources, WhereNoCallWasInlinedOnEitherSide) {
  ProfileBuilder before, after;
  for (const auto& [builder, is_after] : {std::pair(&before, false), std::pair(&after, true)}) {
    builder->Function("never").Toolchain(kO2, true);
    builder->Function("now").Toolchain(kO2, !is_after);
    builder->Function("_ZN4ListC2Ev").Toolchain(kO2, true);
    builder->Function("recursive").Toolchain(kO2, true);
    builder->Arc("recursive", "recursive", 3);
  }
  const MatchedTarget target = Match(before, after);
  EXPECT_TRUE(CallsAreTheSources(target, IndexOf(target, "never")));
  EXPECT_FALSE(CallsAreTheSources(target, IndexOf(target, "now")));
  EXPECT_FALSE(CallsAreTheSources(target, IndexOf(target, "_ZN4ListC2Ev")));
  EXPECT_FALSE(CallsAreTheSources(target, IndexOf(target, "recursive")));
}

}  // namespace

}  // namespace gprofhub::reporter
