#include "reporter/times/time_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "reporter/times/effect_error.h"
#include "reporter/times/time_test.h"

namespace gprofhub::reporter {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// A function with the given samples in each run. The first half of the runs is the base's. Each run
// has an exposure of 100.
TimeTest TestOf(const std::vector<double>& samples) {
  RunExposures runs;
  runs.exposure.assign(samples.size(), 100);
  runs.before = samples.size() / 2;
  return MakeTimeTest(runs, std::vector<double>(samples.size(), 1), samples);
}

void Judge(std::vector<TimeTest>& tests, const TimeModelOptions& options = {}) {
  std::vector<TimeTest*> all;
  for (TimeTest& test : tests) all.push_back(&test);
  JudgeTimeTests(all, options);
}

// Standard error of an effect from sampling alone.
double SamplingError(const TimeTest& test) {
  return std::sqrt(1 / (test.before_samples + 0.5) + 1 / (test.after_samples + 0.5));
}

TEST(MakeTimeTest, AddsUpTheRunsOfEachSide) {
  RunExposures runs;
  runs.exposure = {100, 100, 200};
  runs.before = 2;
  const TimeTest test = MakeTimeTest(runs, {1, 1, 2}, {10, 30, 50});
  EXPECT_EQ(test.before_samples, 40);
  EXPECT_EQ(test.before_exposure, 200);
  EXPECT_EQ(test.before_runs, 2u);
  EXPECT_EQ(test.after_samples, 50);
  EXPECT_EQ(test.after_exposure, 400) << "a run on a machine half as fast";
  EXPECT_EQ(test.after_runs, 1u);
  // Pearson's: 20 samples are expected in each run of the base.
  EXPECT_DOUBLE_EQ(test.spread, 10 * 10 / 20.0 + 10 * 10 / 20.0);
  EXPECT_EQ(test.spread_df, 1u);
}

TEST(MakeTimeTest, RunsThatDifferByTheirMachinesAloneDoNotSpread) {
  RunExposures runs;
  runs.exposure = {100, 50, 100, 100};
  runs.before = 2;
  const TimeTest test = MakeTimeTest(runs, {1, 3, 1, 2}, {40, 60, 20, 40});
  EXPECT_NEAR(test.spread, 0, 1e-12);
  EXPECT_EQ(test.spread_df, 2u);
}

TEST(MakeTimeTest, ARunThatSaysNothingIsLeftOut) {
  const TimeTest test = TestOf({40, kNothing, 20, 20});
  EXPECT_EQ(test.before_samples, 40);
  EXPECT_EQ(test.before_exposure, 100);
  EXPECT_EQ(test.before_runs, 1u);
  EXPECT_EQ(test.spread, 0);
  EXPECT_EQ(test.spread_df, 1u) << "of the head's runs";
}

TEST(MakeTimeTest, ASideMayHaveNoRunThatSaysAnything) {
  const TimeTest test = TestOf({kNothing, kNothing, 20, 20});
  EXPECT_EQ(test.before_runs, 0u);
  EXPECT_EQ(test.after_runs, 2u);
  EXPECT_EQ(test.spread_df, 1u);
}

TEST(JudgeTimeTests, AnEffectIsTheLogarithmOfTheRatio) {
  std::vector<TimeTest> tests = {TestOf({1e6, 2e6}), TestOf({1e6, 5e5})};
  Judge(tests);
  EXPECT_NEAR(tests[0].effect, std::log(2), 1e-5);
  EXPECT_NEAR(tests[1].effect, -std::log(2), 1e-5);
}

TEST(JudgeTimeTests, WhatIsNotLargerThanTheMinimumEffectNeverStandsOut) {
  std::vector<TimeTest> tests(10, TestOf({1e9, 1e9, 1e9, 1e9}));
  tests.push_back(TestOf({1e9, 1e9, 1.04e9, 1.04e9}));
  tests.push_back(TestOf({1e9, 1e9, 1.2e9, 1.2e9}));
  tests.push_back(TestOf({1e9, 1e9, 0.8e9, 0.8e9}));
  Judge(tests);
  EXPECT_FALSE(tests[10].changed);
  EXPECT_EQ(tests[10].p, 1);
  EXPECT_TRUE(tests[11].changed);
  EXPECT_TRUE(tests[12].changed);
}

TEST(JudgeTimeTests, AFunctionThatAppearedHasAFiniteEffect) {
  std::vector<TimeTest> tests(10, TestOf({500, 500, 500, 500}));
  tests.push_back(TestOf({0, 0, 500, 500}));
  Judge(tests);
  EXPECT_TRUE(std::isfinite(tests[10].effect));
  EXPECT_GT(tests[10].effect, 0);
  EXPECT_TRUE(tests[10].changed);
}

TEST(JudgeTimeTests, RunsThatDisagreeMakeUnsure) {
  std::vector<TimeTest> tests(20, TestOf({500, 500, 500, 500}));
  tests.push_back(TestOf({300, 700, 300, 700}));
  Judge(tests);
  EXPECT_GT(StandardError(tests[20]), 1.5 * StandardError(tests[0]));
}

TEST(JudgeTimeTests, WhatIsFasterHasToStandOutClearer) {
  std::vector<TimeTest> tests(20, TestOf({5000, 5000, 5000, 5000}));
  tests.push_back(TestOf({5000, 5000, 6000, 6000}));
  tests.push_back(TestOf({6000, 6000, 5000, 5000}));
  Judge(tests);
  EXPECT_NEAR(tests[21].p / tests[20].p, 9, 1e-3);
}

TEST(JudgeTimeTests, WhatDoesNotMatterNeitherStandsOutNorRaisesTheBar) {
  std::vector<TimeTest> tests(100, TestOf({500, 500, 500, 500}));
  tests[0] = TestOf({500, 500, 5000, 5000});
  for (TimeTest& test : tests) test.matters = false;
  tests[1].matters = true;
  Judge(tests);
  EXPECT_DOUBLE_EQ(tests[1].p_needed, TimeModelOptions().false_discovery_rate);
  EXPECT_FALSE(tests[0].changed);
  EXPECT_LT(tests[0].p, 1e-9) << "it is told all the same";
}

// Twenty functions of unchanged code whose times differ by `percent` between the sides, half of
// them up, and one of changed code.
std::vector<TimeTest> TwoBuilds(double percent, double changed_after) {
  std::vector<TimeTest> tests;
  for (int i = 0; i < 20; ++i) {
    const double after = 40000 * (1 + (i % 2 == 0 ? percent : -percent) / 100);
    tests.push_back(TestOf({40000, 40000, after, after}));
    tests.back().evidence = i % 4 < 2 ? TimeEvidence::kSame : TimeEvidence::kReached;
  }
  tests.push_back(TestOf({40000, 40000, changed_after, changed_after}));
  tests.back().evidence = TimeEvidence::kChanged;
  return tests;
}

TEST(JudgeTimeTests, WhatBuildsDifferByIsAddedToTheErrorOfAll) {
  std::vector<TimeTest> alike = TwoBuilds(0, 40000), differ = TwoBuilds(6, 40000);
  Judge(alike);
  Judge(differ);
  EXPECT_EQ(alike[20].build_variance, 0);
  // The median of a squared normal variable is 0.4549 of its variance.
  EXPECT_NEAR(std::sqrt(differ[20].build_variance), 0.06 / std::sqrt(0.4549), 0.005);
  EXPECT_GT(StandardError(differ[20]), 0.08);
  EXPECT_GT(StandardError(differ[0]), 0.08);
}

TEST(JudgeTimeTests, ChangedCodeIsTestedAgainstLessWhereOtherCodeShowsWhatBuildsDifferBy) {
  std::vector<TimeTest> tests = TwoBuilds(0, 41600);
  Judge(tests);
  EXPECT_TRUE(tests[20].changed) << "by 4%";
  EXPECT_NEAR(std::expm1(tests[20].minimum), 0.01, 1e-12);
  EXPECT_NEAR(std::expm1(tests[0].minimum), 0.05, 1e-12);
  for (TimeTest& test : tests) {
    if (test.evidence != TimeEvidence::kChanged) test.evidence = TimeEvidence::kUnknown;
    test.changed = false;
  }
  Judge(tests);
  EXPECT_FALSE(tests[20].changed);
  EXPECT_NEAR(std::expm1(tests[20].minimum), 0.05, 1e-12);
}

TEST(JudgeTimeTests, FindsTheChangesAmongTheNoise) {
  std::mt19937_64 random(1);
  // Hand-written, because distributions differ between standard libraries.
  const auto normal = [&random] {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) * 0x1p-53;
    return sum;
  };
  std::vector<TimeTest> tests;
  for (int function = 0; function < 500; ++function) {
    std::vector<double> samples;
    for (int run = 0; run < 8; ++run) {
      const double true_mean = function < 20 && run >= 4 ? 750 : 500;
      const double mean = true_mean * std::exp(0.05 * normal());
      samples.push_back(std::round(mean + std::sqrt(mean) * normal()));
    }
    tests.push_back(TestOf(samples));
  }
  Judge(tests);
  int found = 0, wrong = 0;
  for (size_t i = 0; i < tests.size(); ++i) {
    if (tests[i].changed) ++(i < 20 ? found : wrong);
  }
  EXPECT_GE(found, 19);
  EXPECT_LE(wrong, 1);
}

// A test after JudgeTimeTests, with the given error.
TimeTest WithError(double standard_error, double p_needed = 0.001, double minimum_percent = 5) {
  TimeTest test;
  test.error = EffectError(standard_error * standard_error);
  test.p_needed = p_needed;
  test.minimum = std::log1p(minimum_percent / 100);
  return test;
}

TEST(HalfWidth95, HoldsWhatBuildsDifferBy) {
  TimeTest test = WithError(0.06);
  EXPECT_NEAR(HalfWidth95(test), 1.96 * 0.06, 1e-4);
  test.build_variance = 0.08 * 0.08;
  EXPECT_NEAR(HalfWidth95(test), 1.96 * 0.1, 1e-4);
}

TEST(DetectablePercent, LiesAboveTheMinimumEffectByWhatSamplingHides) {
  // Quantiles of the normal distribution: 1.96 for 0.9 of p, 0.8416 for a power of 80%.
  EXPECT_NEAR(DetectablePercent(WithError(0.1, 0.025 / 0.9)),
              (1.05 * std::exp((1.96 + 0.8416) * 0.1) - 1) * 100, 0.01);
  EXPECT_NEAR(DetectablePercent(WithError(1e-9, 0.025, 0)), 0, 1e-6);
}

TEST(DetectablePercent, IsFiniteHoweverLittleIsKnown) {
  EXPECT_TRUE(std::isfinite(DetectablePercent(WithError(1e6, 1e-6))));
}

TEST(MoreHeadRunsFor, IsNoneIfTheRunsAtHandDo) {
  const TimeTest test = WithError(0.001);
  ASSERT_LT(DetectablePercent(test), 10);
  EXPECT_EQ(MoreHeadRunsFor(test, 10), 0);
}

TEST(MoreHeadRunsFor, NoNumberOfRunsShowsWhatIsNoEffect) {
  for (const double percent : {0.0, 3.0, 5.0}) {
    EXPECT_TRUE(std::isinf(MoreHeadRunsFor(WithError(0.1), percent))) << percent;
  }
}

// Five runs of the base, `head_runs` of the head, with the given samples each.
TimeTest Uneven(double head_runs, double samples) {
  TimeTest test = WithError(0);
  test.before_runs = 5;
  test.after_runs = static_cast<size_t>(head_runs);
  test.before_samples = 5 * samples;
  test.after_samples = head_runs * samples;
  test.error = EffectError(SamplingError(test) * SamplingError(test));
  return test;
}

TEST(MoreHeadRunsFor, SoManyMakeTheEffectDetectable) {
  const double more = MoreHeadRunsFor(Uneven(1, 500), 20);
  ASSERT_GT(more, 0);
  ASSERT_LT(more, 10);
  TimeTest then = Uneven(1, 500);
  then.after_samples = (1 + more) * 500;
  then.error = EffectError(SamplingError(then) * SamplingError(then));
  EXPECT_NEAR(DetectablePercent(then), 20, 0.1);
}

TEST(MoreHeadRunsFor, RunsDoNotTakeAwayWhatBuildsDifferBy) {
  TimeTest test = Uneven(1, 500);
  const double alone = MoreHeadRunsFor(test, 20);
  test.build_variance = 0.02 * 0.02;
  EXPECT_GT(MoreHeadRunsFor(test, 20), alone);
  test.build_variance = 0.2 * 0.2;
  EXPECT_TRUE(std::isinf(MoreHeadRunsFor(test, 20)));
}

TEST(MoreHeadRunsFor, TheHeadCannotMakeUpForAShortBase) {
  EXPECT_TRUE(std::isinf(MoreHeadRunsFor(Uneven(1, 20), 10)));
}

TEST(HeadRunsWouldShow, AgreesWithTheNumberOfRuns) {
  int shown = 0, hidden = 0;
  for (const double samples : {20, 100, 300, 500, 900, 3000}) {
    for (const double of_builds : {0.0, 0.02}) {
      for (const double percent : {3.0, 8.0, 20.0, 60.0}) {
        TimeTest test = Uneven(1, samples);
        test.build_variance = of_builds * of_builds;
        const double needed = MoreHeadRunsFor(test, percent);
        for (const double runs : {0.0, 1.0, 3.0, 50.0}) {
          EXPECT_EQ(HeadRunsWouldShow(test, percent, runs), needed <= runs)
              << samples << " samples, " << percent << "%, " << runs << " runs";
          ++(needed <= runs ? shown : hidden);
        }
      }
    }
  }
  EXPECT_GT(shown, 20);
  EXPECT_GT(hidden, 20);
}

TEST(IsWithin95, AgreesWithTheInterval) {
  for (const double error : {0.001, 0.01, 0.02, 0.03, 0.1}) {
    for (const double effect : {-0.03, 0.0, 0.01, 0.04, 0.2}) {
      TimeTest test = WithError(error);
      test.effect = effect;
      const double half = HalfWidth95(test);
      EXPECT_EQ(IsWithin95(test, -0.05, 0.06), effect - half >= -0.05 && effect + half <= 0.06)
          << effect << " with error " << error;
      EXPECT_EQ(IsWithin95(test, -INFINITY, 0.06), effect + half <= 0.06);
    }
  }
}

}  // namespace
}  // namespace gprofhub::reporter
