#include "reporter/comparison/time_model.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
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
  return EstimateSpeedFactors(runs, spans, {});
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

// A function of any size, and the library it leads to, may become much slower.
TEST(EstimateSpeedFactors, TwoMuchSlowerFunctionsAreNotTheMachine) {
  RunExposures runs;
  runs.before = 1;
  runs.exposure = {100, 100};
  for (size_t slow = 0; slow < kEnoughFunctions; ++slow) {
    for (size_t library = 0; library < kEnoughFunctions; ++library) {
      std::vector<std::vector<double>> samples;
      for (size_t function = 0; function < kEnoughFunctions; ++function) {
        const double before = 25 * static_cast<double>(1 << function);
        const double factor = function == slow ? 100 : function == library ? 20 : 1;
        samples.push_back({before, before * factor});
      }
      const std::vector<absl::Span<const double>> spans(samples.begin(), samples.end());
      EXPECT_EQ(EstimateSpeedFactors(runs, spans, {}), (std::vector<double>{1, 1}))
          << slow << " and " << library;
    }
  }
}

TEST(EstimateSpeedFactors, WhatMayHaveChangedComparesTheRunsOfASideOnly) {
  RunExposures runs;
  runs.before = 2;
  runs.exposure = {100, 100, 100, 100};
  const std::vector<double> twice = {1000, 1400, 2000, 2800};
  const std::vector<absl::Span<const double>> others(kEnoughFunctions, twice);
  const std::vector<double> factors = EstimateSpeedFactors(runs, {}, others);
  EXPECT_NEAR(factors[1] / factors[0], 1.4, 0.01);
  EXPECT_NEAR(factors[3] / factors[2], 1.4, 0.01);
  EXPECT_NEAR(factors[2] / factors[0], 1, 0.01);
}

TEST(EstimateSpeedFactors, FewFunctionsTellNothing) {
  RunExposures runs;
  runs.before = 1;
  runs.exposure = {100, 100};
  const std::vector<double> row = {1000, 2000};
  const std::vector<absl::Span<const double>> spans(kEnoughFunctions - 1, row);
  EXPECT_EQ(EstimateSpeedFactors(runs, spans, {}), (std::vector<double>{1, 1}));
}

TEST(EstimateSpeedFactors, ShortFunctionsArePooled) {
  RunExposures runs;
  runs.before = 1;
  runs.exposure = {100, 100};
  const std::vector<double> alone = {10, 15};
  const std::vector<absl::Span<const double>> few(2 * kEnoughFunctions - 1, alone);
  EXPECT_EQ(EstimateSpeedFactors(runs, few, {}), (std::vector<double>{1, 1}));
  const std::vector<absl::Span<const double>> enough(2 * kEnoughFunctions, alone);
  EXPECT_NEAR(EstimateSpeedFactors(runs, enough, {})[1], 1.5, 0.01);
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
  const std::vector<double> factors = EstimateSpeedFactors(runs, spans, {});
  EXPECT_NEAR(factors[1] / factors[0], 1.5, 0.01);
}

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

TimeTest WithP(double p, TimeEvidence evidence = TimeEvidence::kUnknown) {
  TimeTest test;
  test.p = p;
  test.evidence = evidence;
  return test;
}

std::vector<TimeTest> Control(std::vector<TimeTest> tests, double rate = 0.01) {
  std::vector<TimeTest*> all;
  for (TimeTest& test : tests) all.push_back(&test);
  ControlFalseDiscoveries(all, rate);
  return tests;
}

TEST(ControlFalseDiscoveries, EachFoundOneLowersTheBarForTheNext) {
  std::vector<TimeTest> tests(10, WithP(0.5));
  EXPECT_DOUBLE_EQ(Control(tests)[0].p_needed, 0.01 / 10);
  tests[3] = WithP(0.0009);
  tests[7] = WithP(0.0019);
  const std::vector<TimeTest> judged = Control(tests);
  EXPECT_TRUE(judged[3].changed);
  EXPECT_TRUE(judged[7].changed);
  EXPECT_FALSE(judged[0].changed);
  EXPECT_DOUBLE_EQ(judged[0].p_needed, 0.01 * 3 / 10);
  EXPECT_DOUBLE_EQ(Control(tests, 0.05)[0].p_needed, 0.05 * 3 / 10);
}

TEST(ControlFalseDiscoveries, WhatDoesNotMatterNeitherStandsOutNorRaisesTheBar) {
  std::vector<TimeTest> tests(10, WithP(1e-9));
  for (TimeTest& test : tests) test.matters = false;
  tests[1] = WithP(0.009);
  const std::vector<TimeTest> judged = Control(tests);
  EXPECT_TRUE(judged[1].changed);
  EXPECT_FALSE(judged[0].changed);
}

TEST(ControlFalseDiscoveries, ChangedCodeGetsWhatUnchangedCodeLeaves) {
  std::vector<TimeTest> tests(100, WithP(0.5, TimeEvidence::kSame));
  tests[0] = WithP(0.5, TimeEvidence::kChanged);
  const std::vector<TimeTest> judged = Control(tests);
  EXPECT_NEAR(judged[0].p_needed, 0.01 * (1 + 99 * 0.95) / 100, 1e-12);
  EXPECT_NEAR(judged[1].p_needed, 0.01 * 0.05 / 100, 1e-12);
  tests[0].p = 0.008;
  tests[1].p = 0.0001;
  EXPECT_TRUE(Control(tests)[0].changed);
  EXPECT_FALSE(Control(tests)[1].changed);
}

TEST(ControlFalseDiscoveries, TheWeightsAreOneOnAverageOrLess) {
  for (const size_t changed : {0, 1, 3, 20}) {
    std::vector<TimeTest> tests(20, WithP(0.5, TimeEvidence::kUnknown));
    tests[5].evidence = tests[6].evidence = TimeEvidence::kSame;
    tests[7].evidence = tests[8].evidence = TimeEvidence::kReached;
    for (size_t i = 0; i < changed; ++i) tests[i].evidence = TimeEvidence::kChanged;
    double sum = 0;
    for (const TimeTest& test : Control(tests)) sum += test.p_needed;
    EXPECT_LE(sum, 0.01 * 1.0000001) << changed;
    if (changed > 0) {
      EXPECT_NEAR(sum, 0.01, 1e-12) << changed;
    }
  }
}

TEST(ControlFalseDiscoveries, WithoutChangedCodeNobodyGetsWhatUnchangedCodeLeaves) {
  const std::vector<TimeTest> judged =
      Control(std::vector<TimeTest>(10, WithP(0.5, TimeEvidence::kSame)));
  EXPECT_NEAR(judged[0].p_needed, 0.01 * 0.05 / 10, 1e-12);
}

TEST(ControlFalseDiscoveries, NoWeightMakesAnUncertainChangeSignificant) {
  std::vector<TimeTest> tests(50, WithP(1e-12, TimeEvidence::kSame));
  tests.push_back(WithP(0.2, TimeEvidence::kChanged));
  tests = Control(tests);
  EXPECT_TRUE(tests.front().changed);
  EXPECT_FALSE(tests.back().changed);
  EXPECT_LT(tests.back().p_needed, tests.back().p);
}

TEST(ControlFalseDiscoveries, NoTestIsNoTrouble) { EXPECT_TRUE(Control({}).empty()); }

EffectError Mixture() {
  std::array<EffectError::Part, EffectError::kParts> parts;
  parts[0] = {0.75, 0.01};
  parts[3] = {0.25, 0.09};
  return EffectError(parts);
}

TEST(EffectError, OfAKnownVarianceIsNormal) {
  const EffectError error(0.04);
  EXPECT_DOUBLE_EQ(error.Variance(), 0.04);
  EXPECT_NEAR(error.UpperTail(1.96 * 0.2), 0.025, 1e-4);
  EXPECT_NEAR(error.UpperQuantile(0.025), 1.96 * 0.2, 1e-4);
}

TEST(EffectError, TailsOfAMixtureAreHeavierThanThoseOfItsVariance) {
  EXPECT_DOUBLE_EQ(Mixture().Variance(), 0.75 * 0.01 + 0.25 * 0.09);
  const EffectError normal(Mixture().Variance());
  EXPECT_GT(Mixture().UpperTail(0.6), 3 * normal.UpperTail(0.6));
  // Beyond six standard errors of the narrow part, only the wide one remains: 0.25 of its tail at
  // two.
  EXPECT_NEAR(Mixture().UpperTail(0.6), 0.25 * 0.02275, 1e-5);
}

TEST(EffectError, AQuantileIsWhatTheTailSays) {
  for (const double tail : {0.4999, 0.4, 0.025, 1e-3, 1e-8, 1e-100, 1e-300}) {
    EXPECT_NEAR(Mixture().UpperTail(Mixture().UpperQuantile(tail)) / tail, 1, 1e-9) << tail;
  }
}

TEST(EffectError, HalfOfItIsAboveNothing) {
  EXPECT_DOUBLE_EQ(Mixture().UpperTail(0), 0.5);
  EXPECT_DOUBLE_EQ(EffectError().UpperTail(0), 0.5);
}

TEST(EffectError, WhatIsKnownWithoutErrorIsNotExceeded) {
  EXPECT_EQ(EffectError().UpperTail(1e-9), 0);
  EXPECT_LT(EffectError().UpperQuantile(1e-6), 1e-8);
}

TEST(EffectError, AnotherErrorIsAddedToEachPart) {
  const EffectError both = Mixture().With(0.05);
  EXPECT_DOUBLE_EQ(both.Variance(), Mixture().Variance() + 0.05);
  EXPECT_DOUBLE_EQ(both.parts()[3].variance, 0.14);
}

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
double TimeModelSamplingError(const TimeTest& test) {
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
  test.error = EffectError(TimeModelSamplingError(test) * TimeModelSamplingError(test));
  return test;
}

TEST(MoreHeadRunsFor, SoManyMakeTheEffectDetectable) {
  const double more = MoreHeadRunsFor(Uneven(1, 500), 20);
  ASSERT_GT(more, 0);
  ASSERT_LT(more, 10);
  TimeTest then = Uneven(1, 500);
  then.after_samples = (1 + more) * 500;
  then.error = EffectError(TimeModelSamplingError(then) * TimeModelSamplingError(then));
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
