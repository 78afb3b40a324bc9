#include "reporter/times/machine_speed.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace gprofhub::reporter {
namespace {

// Ten functions of 1,000 samples per run, with the given slowdown of each run's machine.
std::vector<double> Estimate(const std::vector<double>& slower, size_t before,
                             double last_function = 1) {
  RunExposures runs;
  runs.before = before;
  runs.exposure.assign(slower.size(), 100);
  std::vector<std::vector<double>> samples;
  for (int function = 0; function < 10; ++function) {
    std::vector<double>& row = samples.emplace_back();
    for (size_t run = 0; run < slower.size(); ++run) {
      const bool changed = function == 9 && run >= before;
      row.push_back(1000 * slower[run] * (changed ? last_function : 1));
    }
  }
  const std::vector<absl::Span<const double>> spans(samples.begin(), samples.end());
  return EstimateSpeedFactors(runs, spans);
}

TEST(EstimateSpeedFactors, WhatAllFunctionsHaveInCommonIsTheMachine) {
  const std::vector<double> factors = Estimate({1, 1, 1.4, 1.4}, 2);
  ASSERT_EQ(factors.size(), 4u);
  EXPECT_NEAR(factors[2] / factors[0], 1.4, 0.01);
  EXPECT_NEAR(factors[3] / factors[1], 1.4, 0.01);
}

TEST(EstimateSpeedFactors, OneFunctionsChangeIsItsOwn) {
  const std::vector<double> factors = Estimate({1, 1}, 1, 3);
  EXPECT_NEAR(factors[1] / factors[0], 1, 0.01);
}

TEST(EstimateSpeedFactors, FewFunctionsTellNothing) {
  RunExposures runs;
  runs.before = 1;
  runs.exposure = {100, 100};
  const std::vector<double> row = {1000, 2000};
  const std::vector<absl::Span<const double>> spans(kEnoughFunctions - 1, row);
  EXPECT_EQ(EstimateSpeedFactors(runs, spans), (std::vector<double>{1, 1}));
}

TEST(EstimateSpeedFactors, WithoutABaseTheRunsAreComparedAmongEachOther) {
  const std::vector<double> factors = Estimate({1, 1, 1.4, 1}, 0);
  ASSERT_EQ(factors.size(), 4u);
  EXPECT_NEAR(factors[2] / factors[0], 1.4, 0.01);
  EXPECT_NEAR(factors[3] / factors[0], 1, 0.01);
  // Without another side the mean machine has the factor 1.
  EXPECT_NEAR(factors[0] * factors[1] * factors[2] * factors[3], 1, 0.01);
}

TEST(EstimateSpeedFactors, AFunctionThatARunSaysNothingOfIsLeftOut) {
  RunExposures runs;
  runs.before = 1;
  runs.exposure = {100, 100};
  const std::vector<double> slower = {1000, 1500};
  const std::vector<double> unknown = {1000, std::numeric_limits<double>::quiet_NaN()};
  std::vector<absl::Span<const double>> spans(kEnoughFunctions, slower);
  spans.insert(spans.begin(), 3 * kEnoughFunctions, unknown);
  const std::vector<double> factors = EstimateSpeedFactors(runs, spans);
  EXPECT_NEAR(factors[1] / factors[0], 1.5, 0.01);
}

}  // namespace
}  // namespace gprofhub::reporter
