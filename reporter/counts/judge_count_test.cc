#include "reporter/counts/judge_count.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "reporter/matching/side_runs.h"

namespace gprofhub::reporter {
namespace {

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

}  // namespace
}  // namespace gprofhub::reporter
