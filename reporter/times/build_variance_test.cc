#include "reporter/times/build_variance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

namespace gprofhub::reporter {
namespace {

TimeTest Control(double effect, double standard_error) {
  TimeTest test;
  test.before_samples = test.after_samples = 1000;
  test.before_runs = test.after_runs = 2;
  test.evidence = TimeEvidence::kSame;
  test.effect = effect;
  test.error = EffectError(standard_error * standard_error);
  return test;
}

std::optional<double> Estimate(std::vector<TimeTest>& tests) {
  std::vector<TimeTest*> all;
  for (TimeTest& test : tests) all.push_back(&test);
  return EstimateBuildVariance(all);
}

TEST(EstimateBuildVariance, IsNothingWhereErrorsExplainTheEffects) {
  std::vector<TimeTest> tests;
  for (const double effect : {0.01, -0.02, 0.005, -0.001, 0.03, 0.0}) {
    tests.push_back(Control(effect, 0.03));
  }
  EXPECT_EQ(Estimate(tests), 0);
}

TEST(EstimateBuildVariance, IsWhatErrorsDoNotExplain) {
  std::vector<TimeTest> tests;
  for (int i = 0; i < 9; ++i) tests.push_back(Control(i % 2 == 0 ? 0.05 : -0.05, 0.02));
  const double all = 0.05 * 0.05 / 0.4549;
  EXPECT_NEAR(Estimate(tests).value(), all - 0.02 * 0.02, 1e-6);
}

TEST(EstimateBuildVariance, AFewThatTrulyChangedDoNotMatter) {
  std::vector<TimeTest> tests(9, Control(0.01, 0.02));
  for (int i = 0; i < 4; ++i) tests[static_cast<size_t>(i)].effect = 0.8;
  EXPECT_EQ(Estimate(tests), 0);
}

TEST(EstimateBuildVariance, IsNotKnownFromChangedOrUnknownCodeOrAHandfulOfSamples) {
  std::vector<TimeTest> tests(5, Control(0.05, 0.02));
  EXPECT_TRUE(Estimate(tests).has_value());
  tests[0].evidence = TimeEvidence::kReached;
  EXPECT_TRUE(Estimate(tests).has_value());
  for (const TimeEvidence evidence : {TimeEvidence::kChanged, TimeEvidence::kUnknown}) {
    tests[0].evidence = evidence;
    EXPECT_FALSE(Estimate(tests).has_value());
  }
  tests[0] = Control(0.05, 0.02);
  tests[0].before_samples = tests[0].after_samples = 10;
  EXPECT_FALSE(Estimate(tests).has_value());
}

}  // namespace
}  // namespace gprofhub::reporter
