#include "reporter/history/scatter.h"

#include <gtest/gtest.h>

#include <vector>

namespace gprofhub::reporter {
namespace {

std::vector<TimePoint> Series(const std::vector<double>& samples) {
  std::vector<TimePoint> points;
  for (const double sample : samples) points.push_back({points.size(), sample, 1});
  return points;
}

Scatter ScatterOf(const std::vector<double>& samples) {
  const std::vector<std::vector<TimePoint>> alone = {Series(samples)};
  return EstimateScatter(alone)[0];
}

TEST(EstimateScatter, IsNeverLessThanSamplingsOwn) {
  EXPECT_GE(ScatterOf({50, 50, 50, 50, 50}).dispersion, 1);
}

TEST(EstimateScatter, AStepIsNoScatter) {
  const std::vector<double> level = {1000, 1010, 990, 1005, 995, 1000, 1012, 990};
  std::vector<double> step = level;
  for (size_t i = 4; i < step.size(); ++i) step[i] *= 3;
  const double alone = ScatterOf(level).dispersion;
  EXPECT_LT(ScatterOf(step).dispersion, 2 * alone);
}

TEST(EstimateScatter, MoreScatterIsSeen) {
  const std::vector<double> wild = {1000, 1500, 700, 1400, 800, 1600, 900, 1300};
  EXPECT_GT(ScatterOf(wild).dispersion, 20);
}

TEST(ScaledDifference, OfPoissonsLawIsAboutOne) {
  EXPECT_DOUBLE_EQ(ScaledDifference({0, 100, 1}, {1, 100, 1}), 0);
  EXPECT_DOUBLE_EQ(ScaledDifference({0, 90, 1}, {1, 110, 1}), 2);
  EXPECT_DOUBLE_EQ(ScaledDifference({0, 0, 1}, {1, 0, 1}), 0) << "nothing was sampled";
}

}  // namespace
}  // namespace gprofhub::reporter
