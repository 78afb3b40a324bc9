#include "reporter/times/run_variation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reporter/times/time_test.h"

namespace gprofhub::reporter {
namespace {

// `runs` runs per side with the given samples, whose Pearson statistic is `ratio` times its
// expectation from sampling.
TimeTest Runs(double samples, double ratio, size_t runs = 5) {
  TimeTest test;
  test.before_runs = test.after_runs = runs;
  test.before_samples = test.after_samples = samples * static_cast<double>(runs);
  test.spread_df = 2 * (runs - 1);
  test.spread = ratio * static_cast<double>(test.spread_df);
  return test;
}

double ErrorOf(const std::vector<TimeTest>& others, const TimeTest& test) {
  std::vector<TimeTest> tests = others;
  std::vector<TimeTest*> all;
  for (TimeTest& each : tests) all.push_back(&each);
  return std::sqrt(RunVariation(all).ErrorOf(test).Variance());
}

double SamplingError(const TimeTest& test) {
  return std::sqrt(1 / test.before_samples + 1 / test.after_samples);
}

TEST(RunVariation, RunsThatAgreeByLuckAreNoSurerThanSampling) {
  const std::vector<TimeTest> others(30, Runs(1000, 0.1));
  EXPECT_GT(ErrorOf(others, Runs(1000, 0)), 0.999 * SamplingError(Runs(1000, 0)));
}

TEST(RunVariation, WhereAllFunctionsAgreeOneIsBelieved) {
  const std::vector<TimeTest> steady(60, Runs(1000, 1));
  EXPECT_LT(ErrorOf(steady, Runs(1000, 1)), 1.1 * SamplingError(Runs(1000, 1)));
}

TEST(RunVariation, RunsThatDisagreeMakeUnsure) {
  const std::vector<TimeTest> steady(60, Runs(1000, 1));
  // Its runs vary by a tenth.
  EXPECT_NEAR(ErrorOf(steady, Runs(1000, 11)), std::sqrt(2.0 / 5000 + 2.0 / 5 * 0.01), 0.02);
}

TEST(RunVariation, WhereFunctionsVaryOneThatSeemsNotToIsDoubted) {
  const std::vector<TimeTest> steady(60, Runs(1000, 1)), wild(60, Runs(1000, 15));
  EXPECT_GT(ErrorOf(wild, Runs(1000, 2)), 1.3 * ErrorOf(steady, Runs(1000, 2)));
}

TEST(RunVariation, OfAFunctionWithFewSamplesSamplingIsNearlyAll) {
  // The large ones vary by 4%, about the same as their sampling error.
  const std::vector<TimeTest> others(60, Runs(1000, 2.6));
  const TimeTest small = Runs(50, 1);
  EXPECT_LT(ErrorOf(others, small), 1.1 * SamplingError(small));
}

TEST(RunVariation, FunctionsWithAHandfulOfSamplesDoNotTell) {
  std::vector<TimeTest> others(20, Runs(1000, 1));
  const double alone = ErrorOf(others, others[0]);
  others.insert(others.end(), 100, Runs(5, 9));
  EXPECT_DOUBLE_EQ(ErrorOf(others, others[0]), alone);
}

TEST(RunVariation, ASingleRunOnEachSideMayVaryMuch) {
  const TimeTest single = Runs(10000, 0, 1);
  RunVariation variation({});
  // With probability 1 in 100, a doubled time is chance.
  EXPECT_GT(variation.ErrorOf(single).UpperQuantile(0.01), std::log(2.0));
  EXPECT_TRUE(std::isfinite(variation.ErrorOf(TimeTest()).Variance()));
}

}  // namespace
}  // namespace gprofhub::reporter
