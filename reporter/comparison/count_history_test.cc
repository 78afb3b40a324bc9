#include "reporter/comparison/count_history.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "reporter/comparison/compare_sides.h"
#include "reporter/comparison/match_target.h"
#include "reporter/comparison/pair_call_sites.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

std::vector<double> Logs(const std::vector<double>& counts) {
  std::vector<double> logs;
  for (const double count : counts) logs.push_back(LogCount(count));
  return logs;
}

VaryingCounts Fit(const std::vector<double>& before, const std::vector<double>& after) {
  return FitVaryingCounts(Logs(before), Logs(after), UsualSpread({}));
}

TEST(LogCounts, KnowZero) {
  EXPECT_EQ(LogCount(0), 0);
  EXPECT_NEAR(FromLogCount(LogCount(12345)), 12345, 1e-6);
}

TEST(FitVaryingCounts, ARunFarOffMovesNeitherTheMiddleNorTheSpread) {
  const VaryingCounts quiet = Fit({1000, 1010, 990, 1005, 995}, {2000});
  const VaryingCounts odd = Fit({1000, 1010, 990, 1005, 50000}, {2000});
  EXPECT_NEAR(FromLogCount(odd.before), 1000, 20);
  EXPECT_LT(odd.spread, 3 * quiet.spread);
  EXPECT_LT(odd.spread, 0.1);
}

TEST(FitVaryingCounts, SeveralRunsFarOffAreHowItVaries) {
  EXPECT_GT(Fit({1000, 3000, 700, 5000, 1500}, {2000}).spread, 0.4);
}

TEST(FitVaryingCounts, TwoRunsThatAgreeAreNotTakenAtTheirWord) {
  EXPECT_GT(Fit({1000, 1000}, {2000}).spread, 0.05);
  const std::vector<double> twice = Logs({1000, 1000}), once = Logs({2000});
  EXPECT_GT(FitVaryingCounts(twice, once, 0.7).spread, 0.5) << "others of the target vary more";
  const std::vector<double> often = Logs({1000, 1001, 999, 1000, 1002, 1000, 998});
  EXPECT_LT(FitVaryingCounts(often, once, 0.7).spread, 0.05) << "it has shown by how much";
}

TEST(FitVaryingCounts, FewCallsVaryByCalls) {
  EXPECT_GT(Fit({3, 3, 3, 3, 3}, {5}).spread, 0.4);
  EXPECT_GT(Fit({0, 0, 0, 0, 0}, {1}).spread, 1);
}

TEST(UsualSpread, IsThatOfMostCountsNotOfTheOddOne) {
  EXPECT_EQ(UsualSpread({}), UsualSpread({3})) << "one says little";
  EXPECT_GT(UsualSpread(std::vector<double>(20, 0.5)), 0.4);
  EXPECT_LT(UsualSpread(std::vector<double>(20, 0.02)), 0.05);
}

TEST(MedianSpread, NeedsASideOfTwoRuns) {
  EXPECT_FALSE(MedianSpread(Logs({5}), Logs({7})).has_value());
  EXPECT_EQ(MedianSpread(Logs({5, 5}), Logs({7})), 0);
  EXPECT_LT(*MedianSpread(Logs({1000, 1010, 990, 1005, 50000}), Logs({7})), 0.05);
}

TEST(FreedomOfTails, GrowsWithTheRunsThatWouldAllHaveToBeFarOff) {
  EXPECT_EQ(FreedomOfTails(5, 1), FreedomOfTails(12, 1));
  EXPECT_GT(FreedomOfTails(5, 2), FreedomOfTails(5, 1));
  EXPECT_GT(FreedomOfTails(5, 5), FreedomOfTails(5, 3));
}

// A count of runs of one execution each.
Count Of(const std::vector<uint64_t>& runs) {
  Count count;
  count.present = true;
  uint64_t before = 0;
  for (const uint64_t run : runs) AddRun(run, 1, before++, count);
  return count;
}

SideCount Side(const Count& count) { return {&count, count.runs, count.runs}; }

CountChange Judge(const std::vector<uint64_t>& before, const std::vector<uint64_t>& after) {
  const Count base = Of(before), head = Of(after);
  return JudgeCount(Side(base), Side(head), UsualSpread({}));
}

// One run with this number of executions on each side, with `before` and `after` calls in total.
CountChange JudgeExecutions(uint64_t before, uint64_t after, uint64_t executions,
                            bool steady = false) {
  Count base, head;
  AddRun(before, executions, 0, base);
  AddRun(after, executions, 0, head);
  return JudgeCount({&base, 1, executions, steady}, {&head, 1, executions, steady},
                    UsualSpread({}));
}

// The base's own run, and older runs that show that the count varies.
CountChange JudgeWithOlder(uint64_t before, const std::vector<uint64_t>& older, uint64_t after) {
  Count base = Of({before});
  const Count head = Of({after});
  base.repeats = false;
  base.by_run = {static_cast<double>(before)};
  base.by_run.insert(base.by_run.end(), older.begin(), older.end());
  return JudgeCount(Side(base), Side(head), UsualSpread({}));
}

TEST(JudgeCount, OfCountsThatRepeatAnyDifferenceIsAChange) {
  const CountChange one_more = Judge({1000000, 1000000}, {1000001});
  EXPECT_EQ(one_more.answer, CountAnswer::kChanged);
  EXPECT_EQ(one_more.certainty, CountCertainty::kExact);
  EXPECT_EQ(Judge({7}, {7, 7, 7}).answer, CountAnswer::kSame) << "per execution";
}

TEST(JudgeCount, OneRunOnEachSideDoesNotShowThatACountRepeats) {
  const CountChange once = Judge({1000}, {1500});
  EXPECT_EQ(once.answer, CountAnswer::kChanged) << "it most often is right";
  EXPECT_EQ(once.certainty, CountCertainty::kOneRun);
  EXPECT_EQ(Judge({1000}, {1500, 1500}).certainty, CountCertainty::kExact);
}

TEST(JudgeCount, RunsWithoutACallDoNotShowThatTheCallsRepeat) {
  EXPECT_EQ(Judge({0, 0, 0}, {12}).certainty, CountCertainty::kOneRun);
  EXPECT_EQ(Judge({0, 0, 0}, {12, 12}).certainty, CountCertainty::kExact);
  EXPECT_EQ(Judge({12, 12}, {0}).certainty, CountCertainty::kExact);
}

TEST(JudgeCount, ExecutionsOfARunShowItOnlyWhereTheWholeTargetsAgree) {
  EXPECT_EQ(JudgeExecutions(3000, 4500, 3, /*steady=*/true).certainty, CountCertainty::kExact);
  EXPECT_EQ(JudgeExecutions(3000, 4500, 3, /*steady=*/false).certainty, CountCertainty::kOneRun);
}

TEST(JudgeCount, OlderRunsMayShowThatACountRepeats) {
  Count base = Of({1000});
  const Count head = Of({1500});
  base.repeated_in_history = true;
  EXPECT_EQ(JudgeCount(Side(base), Side(head), UsualSpread({})).certainty, CountCertainty::kExact);
}

TEST(JudgeCount, ALastingChangeStandsOutOfWhatVaries) {
  const CountChange twice = Judge({1000, 1010, 990, 1005}, {2000, 2010, 1990, 2005});
  EXPECT_EQ(twice.answer, CountAnswer::kChanged);
  EXPECT_EQ(twice.certainty, CountCertainty::kVaries);
  EXPECT_LT(twice.low_percent, 100);
  EXPECT_GT(twice.high_percent, 99);
}

TEST(JudgeCount, WhatVariesAsMuchAsItChangedCannotBeTold) {
  EXPECT_EQ(Judge({1000, 1400}, {1100, 1500}).answer, CountAnswer::kCannotTell);
}

TEST(JudgeCount, ASmallIntervalAboutNothingIsEquivalent) {
  EXPECT_EQ(Judge({1000, 1002, 998, 1000}, {1001, 999, 1000, 1002}).answer,
            CountAnswer::kEquivalent);
}

TEST(JudgeCount, OneSumOnEachSideSaysNothingOfWhatVaries) {
  EXPECT_EQ(JudgeExecutions(2001, 3001, 2).answer, CountAnswer::kCannotTell);
  EXPECT_EQ(JudgeExecutions(2001, 17021, 2).answer, CountAnswer::kCannotTell);
  EXPECT_EQ(JudgeExecutions(2001, 2001, 2).answer, CountAnswer::kSame);
}

TEST(JudgeCount, ManyTimesTheCallsAreFoundFromTwoRunsOn) {
  for (const std::vector<uint64_t>& base :
       std::vector<std::vector<uint64_t>>{{1000, 1010},
                                          {1000, 1100},
                                          {1000, 1010, 990},
                                          {1000, 1010, 990, 1005},
                                          {1000, 1010, 990, 1005, 1020}}) {
    EXPECT_EQ(Judge(base, {8510}).answer, CountAnswer::kChanged) << base.size() << " runs";
  }
}

TEST(JudgeCount, FindsWhatDocsVerdictsPromises) {
  EXPECT_EQ(Judge({1000, 1010}, {5000}).answer, CountAnswer::kChanged);
  const std::vector<uint64_t> five = {1000, 1010, 990, 1005, 995};
  EXPECT_EQ(Judge(five, {1300}).answer, CountAnswer::kChanged);
  EXPECT_EQ(Judge(five, {1100, 1111, 1089, 1105, 1094}).answer, CountAnswer::kChanged);
}

TEST(JudgeCount, ARunFarOffHidesNothingFromThreeOthers) {
  for (const uint64_t far : {1500, 2000, 3000, 4000}) {
    const CountChange change = Judge({1000, 1010, 990, 1005, far}, {8510});
    EXPECT_EQ(change.answer, CountAnswer::kChanged) << far;
    EXPECT_NEAR(change.before, 1000, 20) << far;
    EXPECT_GT(change.low_percent, 400) << far;
  }
  EXPECT_EQ(Judge({1000, 1010, 990, 1005, 100000}, {8510, 8500, 8520, 8490}).answer,
            CountAnswer::kChanged)
      << "four runs cannot all be far off";
}

TEST(JudgeCount, ARunFarOffIsNoChange) {
  EXPECT_NE(Judge({1000, 1010, 990, 1005, 3000}, {1000}).answer, CountAnswer::kChanged);
  EXPECT_NE(Judge({1000, 1010, 990, 1005, 3000}, {3000}).answer, CountAnswer::kChanged)
      << "it was seen to stray so far";
  EXPECT_NE(Judge({1000, 1010, 990, 1005, 3000}, {4500}).answer, CountAnswer::kChanged);
  EXPECT_NE(JudgeWithOlder(3000, {1000, 1010, 990, 1005}, 1000).answer, CountAnswer::kChanged)
      << "the base's own run";
}

TEST(JudgeCount, ASpinLoopIsNoChange) {
  EXPECT_NE(Judge({40, 900, 3, 210, 17}, {2600}).answer, CountAnswer::kChanged);
  EXPECT_NE(Judge({0, 0, 3, 0, 0}, {8}).answer, CountAnswer::kChanged);
}

TEST(JudgeCount, OlderRunsTellHowMuchItVaries) {
  EXPECT_EQ(JudgeWithOlder(1000, {1004, 997, 1001, 996, 1002}, 1500).answer, CountAnswer::kChanged);
  EXPECT_EQ(JudgeWithOlder(1000, {1400, 700, 1100, 500, 1300}, 1500).answer,
            CountAnswer::kCannotTell);
}

TEST(JudgeCount, WhatStrayedLongAgoIsRemembered) {
  EXPECT_EQ(JudgeWithOlder(1000, {1004, 997, 1001, 996, 1002, 9000}, 8000).answer,
            CountAnswer::kCannotTell);
}

// Runs of different commits and binaries.
std::vector<CountInRun> Runs(const std::vector<double>& counts) {
  static const std::vector<std::string> kNames = {"a", "b", "c", "d", "e", "f", "g", "h"};
  std::vector<CountInRun> runs;
  for (const double count : counts) runs.push_back({kNames[runs.size()], "", count});
  return runs;
}

TEST(Varies, NotWhereCommitsChangeTheCountNowAndThen) {
  EXPECT_FALSE(Varies(Runs({5})));
  EXPECT_FALSE(Varies(Runs({5, 7})));
  EXPECT_FALSE(Varies(Runs({5, 7, 9})));
  EXPECT_FALSE(Varies(Runs({5, 5, 7, 7, 7, 3, 3, 3})));
}

TEST(Varies, NotWhereEachCommitAddsATest) {
  EXPECT_FALSE(Varies(Runs({80, 70, 60, 50, 40, 30, 20, 10})));
}

TEST(Varies, WhereTheCountJumpsAbout) {
  EXPECT_TRUE(Varies(Runs({5, 7, 4, 9, 5, 8, 3, 6})));
  EXPECT_FALSE(Varies(Runs({5, 7, 4, 9, 5}))) << "too few runs to tell";
}

TEST(Repeats, WhereMostRunsHaveTheCountOfTheOneBefore) {
  EXPECT_FALSE(Repeats(Runs({5})));
  EXPECT_TRUE(Repeats(Runs({5, 5})));
  EXPECT_TRUE(Repeats(Runs({5, 5, 7, 7, 7, 3, 3, 3})));
  EXPECT_FALSE(Repeats(Runs({5, 7, 7}))) << "it changed as often as it did not";
  EXPECT_FALSE(Repeats(Runs({0, 0, 0}))) << "without a call there is nothing to repeat";
}

TEST(Varies, WhereRunsOfOneCommitDiffer) {
  std::vector<CountInRun> runs = Runs({5, 7});
  runs[1].commit = runs[0].commit;
  EXPECT_TRUE(Varies(runs));
  runs[1].each = 5;
  EXPECT_FALSE(Varies(runs));
}

TEST(Varies, WhereExecutionsOfOneRunDiffer) {
  std::vector<CountInRun> runs = Runs({5});
  runs[0].repeats = false;
  EXPECT_TRUE(Varies(runs));
}

TEST(Varies, WhereOneBinaryKeepsChangingItsCount) {
  std::vector<CountInRun> runs = Runs({5, 7, 9});
  for (CountInRun& run : runs) run.binary = "same";
  EXPECT_TRUE(Varies(runs));
  runs[2].each = 7;
  EXPECT_FALSE(Varies(runs)) << "its data may have changed once";
}

constexpr char kTarget[] = "//db:test";

profile::ComputedProfile Run(uint64_t lookups) {
  ProfileBuilder builder;
  builder.Function("main", 100).Arc("", "main", 1);
  builder.Function("lookup", 900).Arc("main", "lookup", lookups);
  return builder.Build();
}

ComparisonSide Base(const std::vector<uint64_t>& lookups) {
  ComparisonSide base;
  for (size_t i = 0; i < lookups.size(); ++i) {
    (i == 0 ? base.targets : base.window)[kTarget].push_back(Run(lookups[i]));
    base.origins[kTarget].push_back({"commit" + std::to_string(i), "one binary", ""});
  }
  return base;
}

ComparisonSide Head(const std::vector<uint64_t>& lookups) {
  ComparisonSide head;
  for (const uint64_t count : lookups) head.targets[kTarget].push_back(Run(count));
  return head;
}

const v1::Finding* FindCalls(const v1::Report& report, const std::string& caller) {
  for (const v1::Finding& finding : report.findings()) {
    if (finding.function() == "lookup" && finding.metric() == v1::Finding::CALLS &&
        finding.caller() == caller) {
      return &finding;
    }
  }
  return nullptr;
}

TEST(Comparison, LeavesATargetOutWhoseCallsAreMissing) {
  ComparisonSide base = Base({1000});
  ComparisonSide head = Head({1000});
  head.targets[kTarget][0].incomplete_calls = true;
  const v1::Report report = CompareSides(base, head, CompareOptions());
  EXPECT_EQ(report.findings_size(), 0);
  EXPECT_EQ(report.compared().targets_size(), 0);
  ASSERT_EQ(report.compared().not_compared_size(), 1);
  EXPECT_EQ(report.compared().not_compared(0).reason(),
            "calls of the head are missing: a process could not write all its counts");
  std::swap(base, head);
  EXPECT_EQ(CompareSides(base, head, CompareOptions()).compared().not_compared(0).reason(),
            "calls of the base are missing: a process could not write all its counts");
}

TEST(CountHistory, KeepsACountThatVariesFromAlarmingInTwoRuns) {
  const v1::Report alone = CompareSides(Base({1000}), Head({1300}), CompareOptions());
  ASSERT_NE(FindCalls(alone, "main"), nullptr);
  EXPECT_EQ(FindCalls(alone, "main")->verdict(), v1::Finding::REGRESSED);
  EXPECT_TRUE(FindCalls(alone, "main")->one_run());

  const v1::Report report =
      CompareSides(Base({1000, 1280, 940, 1150, 1010}), Head({1300}), CompareOptions());
  for (const v1::Finding& finding : report.findings()) {
    if (finding.metric() != v1::Finding::CALLS) continue;
    EXPECT_FALSE(finding.exact());
    EXPECT_EQ(finding.verdict(), v1::Finding::CANNOT_TELL) << finding.DebugString();
    EXPECT_LT(finding.interval_low_percent(), 0);
    EXPECT_GT(finding.interval_high_percent(), 30);
  }
}

TEST(CountHistory, LetsAVaryingCountAlarmThatLeavesItsRange) {
  const v1::Report report =
      CompareSides(Base({1000, 1004, 998, 1003, 1001, 997}), Head({2000}), CompareOptions());
  ASSERT_NE(FindCalls(report, ""), nullptr);
  EXPECT_EQ(FindCalls(report, "")->verdict(), v1::Finding::REGRESSED);
  EXPECT_FALSE(FindCalls(report, "")->exact());
  EXPECT_FALSE(FindCalls(report, "")->one_run());
}

TEST(CountHistory, AnOddRunNeitherHidesAChangeNorMakesOne) {
  for (const std::vector<uint64_t>& base : std::vector<std::vector<uint64_t>>{
           {1000, 1010, 990, 1005, 3000}, {3000, 1000, 1010, 990, 1005}}) {
    const v1::Report eightfold = CompareSides(Base(base), Head({8510}), CompareOptions());
    ASSERT_NE(FindCalls(eightfold, ""), nullptr);
    EXPECT_EQ(FindCalls(eightfold, "")->verdict(), v1::Finding::REGRESSED);
    EXPECT_NEAR(FindCalls(eightfold, "")->effect_percent(), 751, 20);
    const v1::Report same = CompareSides(Base(base), Head({1000}), CompareOptions());
    for (const v1::Finding& finding : same.findings()) {
      if (finding.metric() != v1::Finding::CALLS) continue;
      EXPECT_EQ(finding.verdict(), v1::Finding::CANNOT_TELL) << finding.DebugString();
    }
  }
}

TEST(CountHistory, ReportsACountThatNoLongerRepeats) {
  const v1::Report report =
      CompareSides(Base({1000, 1000, 1000}), Head({1000, 1010}), CompareOptions());
  ASSERT_NE(FindCalls(report, ""), nullptr);
  EXPECT_TRUE(FindCalls(report, "")->no_longer_exact());
  EXPECT_FALSE(FindCalls(report, "")->exact());
  bool said = false;
  for (const std::string& warning : report.warnings()) {
    said |= warning.find("repeated from run to run until now") != std::string::npos;
  }
  EXPECT_TRUE(said);
}

TEST(CountHistory, OfExactCountsLeavesThemExact) {
  const v1::Report report =
      CompareSides(Base({1000, 1000, 900, 900}), Head({1300}), CompareOptions());
  ASSERT_NE(FindCalls(report, "main"), nullptr);
  EXPECT_TRUE(FindCalls(report, "main")->exact());
  EXPECT_EQ(FindCalls(report, "main")->verdict(), v1::Finding::REGRESSED);
}

}  // namespace

}  // namespace gprofhub::reporter
