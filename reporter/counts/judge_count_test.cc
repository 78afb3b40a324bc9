#include "reporter/counts/judge_count.h"

#include <gtest/gtest.h>

#include <vector>

namespace gprofhub::reporter {
namespace {

// A count of runs of one execution each.
Count Of(const std::vector<uint64_t>& runs, bool repeats = true) {
  Count count;
  count.present = true;
  count.repeats = repeats;
  for (const uint64_t run : runs) {
    count.sum += run;
    count.sum_of_squares += static_cast<double>(run) * static_cast<double>(run);
  }
  return count;
}

CountChange Judge(const Count& before, size_t runs_before, const Count& after, size_t runs_after) {
  return JudgeCount({&before, runs_before, runs_before}, {&after, runs_after, runs_after});
}

TEST(JudgeCount, OfExactCountsAnyDifferenceIsAChange) {
  const CountChange one_more = Judge(Of({1000000}), 1, Of({1000001}), 1);
  EXPECT_EQ(one_more.answer, CountAnswer::kChanged);
  EXPECT_TRUE(one_more.exact);
  EXPECT_EQ(Judge(Of({7}), 1, Of({7, 7, 7}), 3).answer, CountAnswer::kSame) << "per execution";
}

TEST(JudgeCount, ALastingChangeStandsOutOfWhatVaries) {
  const CountChange twice =
      Judge(Of({1000, 1010, 990, 1005}, false), 4, Of({2000, 2010, 1990, 2005}, false), 4);
  EXPECT_EQ(twice.answer, CountAnswer::kChanged);
  EXPECT_FALSE(twice.exact);
  EXPECT_LT(twice.low_percent, 100);
  EXPECT_GT(twice.high_percent, 99);
}

TEST(JudgeCount, WhatVariesAsMuchAsItChangedCannotBeTold) {
  EXPECT_EQ(Judge(Of({1000, 1400}, false), 2, Of({1100, 1500}, false), 2).answer,
            CountAnswer::kCannotTell);
}

TEST(JudgeCount, ASmallIntervalAboutNothingIsEquivalent) {
  EXPECT_EQ(
      Judge(Of({1000, 1002, 998, 1000}, false), 4, Of({1001, 999, 1000, 1002}, false), 4).answer,
      CountAnswer::kEquivalent);
}

TEST(JudgeCount, OneSumOnEachSideSaysNothingOfWhatVaries) {
  EXPECT_EQ(Judge(Of({1000}, false), 1, Of({1500}, false), 1).answer, CountAnswer::kCannotTell);
  EXPECT_EQ(Judge(Of({1000}, false), 1, Of({1000}, false), 1).answer, CountAnswer::kSame);
}

TEST(JudgeCount, OlderRunsTellHowMuchItVaries) {
  Count before = Of({1000}, false);
  before.older_runs = 6;
  before.older_squares = 100;
  EXPECT_EQ(Judge(before, 1, Of({1500}, false), 1).answer, CountAnswer::kChanged);
}

}  // namespace
}  // namespace gprofhub::reporter
