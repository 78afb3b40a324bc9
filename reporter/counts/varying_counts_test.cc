#include "reporter/counts/varying_counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

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

}  // namespace
}  // namespace gprofhub::reporter
