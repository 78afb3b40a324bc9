#include "reporter/times/run_variation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace gprofhub::reporter {
namespace {

// A function of five runs on each side, of so many samples each, whose Pearson's statistic is so
// many times what sampling makes.
TimeTest Runs(double samples, double ratio, size_t runs = 5) {
  TimeTest test;
  test.before_runs = test.after_runs = runs;
  test.before_samples = test.after_samples = samples * static_cast<double>(runs);
  test.spread_df = 2 * (runs - 1);
  test.spread = ratio * static_cast<double>(test.spread_df);
  return test;
}

// The part of the error's variance beyond sampling, as a coefficient of variation of one run.
double VariationOf(const TimeTest& test, std::vector<TimeTest> others) {
  std::vector<TimeTest*> all;
  for (TimeTest& other : others) all.push_back(&other);
  double variance = 0;
  for (const ErrorPart& part : ErrorOf(test, EstimateRunVariation(all, 0.25))) {
    variance += part.weight * part.variance;
  }
  const double sampling = 1 / (test.before_samples + 0.5) + 1 / (test.after_samples + 0.5);
  const double runs = static_cast<double>(test.before_runs);
  return std::sqrt(std::max(0.0, variance - sampling) / (2 / runs));
}

TEST(RunVariation, WeightsOfAnErrorAreOneInAll) {
  TimeTest test = Runs(500, 2);
  double weights = 0;
  for (const ErrorPart& part : ErrorOf(test, EstimateRunVariation({&test}, 0.25))) {
    weights += part.weight;
  }
  EXPECT_NEAR(weights, 1, 1e-12);
}

TEST(RunVariation, SingleRunsAreAssumedToVary) {
  EXPECT_NEAR(VariationOf(Runs(500, 0, 1), {Runs(500, 0, 1)}), 0.25, 1e-9);
}

TEST(RunVariation, OthersSayWhatAFunctionsFewRunsDoNot) {
  // A hundredfold of sampling's variance at 10,000 samples is a variation of 10%.
  const std::vector<TimeTest> calm(30, Runs(10000, 1)), restless(30, Runs(10000, 100));
  const TimeTest alone = Runs(10000, 0, 1);
  EXPECT_LT(VariationOf(alone, calm), 0.05);
  EXPECT_NEAR(VariationOf(alone, restless), 0.1, 0.02);
}

TEST(RunVariation, ManyRunsOfItsOwnOutweighTheOthers) {
  EXPECT_NEAR(VariationOf(Runs(10000, 100, 30), std::vector<TimeTest>(30, Runs(10000, 1))), 0.1,
              0.02);
}

TEST(RunVariation, LongFunctionsThatVaryDoNotMakeShortOnesUnsure) {
  std::vector<TimeTest> others(25, Runs(100, 1));
  for (int i = 0; i < 5; ++i) others.push_back(Runs(5000, 75));  // 12%
  EXPECT_LT(VariationOf(Runs(100, 1), others), 0.05);
}

TEST(RunVariation, AHandfulOfSamplesSaysNothingOfOthers) {
  std::vector<TimeTest> others(10, Runs(5, 30));
  others.push_back(Runs(10000, 1));
  EXPECT_LT(VariationOf(Runs(10000, 1), others), 0.02);
}

}  // namespace
}  // namespace gprofhub::reporter
