// A function's time in a run is sampled, and it varies between runs as well. By how much is
// run_variation.cc's to say: the error of an effect is a mixture of normal ones.
//
// The effect log(after / before) is tested against a minimum effect δ, not against zero (McCarthy
// and Smyth, "TREAT", 2009). With the error ε,
//
//   p = P(ε > |effect| - δ) + P(ε > |effect| + δ)
//
// So a tiny change of a well-sampled function is no finding, however significant it is. Small
// systematic errors, such as a machine's speed half a percent wrong, make no alarms.
//
// Two builds differ in how their code and data lie in memory, and in nothing else that would show
// between runs of one build. A function's time may so differ between the sides by more than runs
// vary. Functions whose code and calls are the same show by how much (build_variance.cc). That is
// added to the error of all. Where it is known, a function whose own code changed is tested against
// a smaller minimum: the larger one only stands for what nothing else accounts for.
//
// Which p stand out is decided over all functions of all targets (discoveries.cc).
#include "reporter/times/time_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "reporter/times/build_variance.h"
#include "reporter/times/discoveries.h"
#include "reporter/times/run_variation.h"

namespace gprofhub::reporter {
namespace {

constexpr double kPower = 0.8416;  // normal quantile of 4 times in 5

// Of the error being larger.
double UpperTail(const TimeTest& test, double value) {
  double tail = 0;
  for (const ErrorPart& part : test.error) {
    tail += part.weight * std::erfc(value / std::sqrt(2 * part.variance)) / 2;
  }
  return tail;
}

// The value that the error exceeds with probability `tail`.
double UpperQuantile(const TimeTest& test, double tail) {
  double high = 1e-9;
  while (UpperTail(test, high) > tail && high < 1e6) high *= 2;
  double low = 0;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (UpperTail(test, middle) > tail ? low : high) = middle;
  }
  return high;
}

double LogEffect(double percent) { return std::log1p(percent / 100); }

// So many standard errors above the minimum lies the effect that stands out four times in five.
double ErrorsNeeded(const TimeTest& test) {
  return UpperQuantile(test, test.p_needed) / test.standard_error + kPower;
}

// The variance at which an effect of `percent` stands out four times in five; 0 if it never does.
double AllowedVariance(const TimeTest& test, double percent) {
  const double room = LogEffect(percent) - test.minimum;
  if (room <= 0) return 0;
  const double errors = ErrorsNeeded(test);
  return errors > 0 ? room * room / (errors * errors) : std::numeric_limits<double>::infinity();
}

}  // namespace

TimeTest MakeTimeTest(const RunExposures& runs, absl::Span<const double> speed,
                      absl::Span<const double> samples) {
  TimeTest test;
  for (size_t run = 0; run < runs.exposure.size(); ++run) {
    if (std::isnan(samples[run])) continue;
    const bool before = run < runs.before;
    (before ? test.before_samples : test.after_samples) += samples[run];
    (before ? test.before_exposure : test.after_exposure) += runs.exposure[run] * speed[run];
    ++(before ? test.before_runs : test.after_runs);
  }
  for (size_t run = 0; run < runs.exposure.size(); ++run) {
    if (std::isnan(samples[run])) continue;
    const bool before = run < runs.before;
    const double side = before ? test.before_samples : test.after_samples;
    const double exposure = before ? test.before_exposure : test.after_exposure;
    const double expected = side * runs.exposure[run] * speed[run] / exposure;
    if (expected > 0)
      test.spread += (samples[run] - expected) * (samples[run] - expected) / expected;
  }
  test.spread_df = (test.before_runs > 0 ? test.before_runs - 1 : 0) +
                   (test.after_runs > 0 ? test.after_runs - 1 : 0);
  return test;
}

void SetP(TimeTest& test) {
  double variance = 0;
  for (const ErrorPart& part : test.error) variance += part.weight * part.variance;
  test.standard_error = std::sqrt(variance);
  const double effect = std::fabs(test.effect);
  test.p = std::min(
      1.0, UpperTail(test, effect - test.minimum) + UpperTail(test, effect + test.minimum));
}

void MeasureEffects(const std::vector<TimeTest*>& tests, const TimeModelOptions& options) {
  const VariationWeights variation = EstimateRunVariation(tests, options.single_run_variation);
  for (TimeTest* test : tests) {
    // Half a sample is added, so that no sample does not mean the logarithm of zero.
    test->effect = std::log((test->after_samples + 0.5) / test->after_exposure) -
                   std::log((test->before_samples + 0.5) / test->before_exposure);
    test->error = ErrorOf(*test, variation);
    SetP(*test);
  }
  const std::optional<double> of_builds = EstimateBuildVariance(tests);
  for (TimeTest* test : tests) {
    test->build_variance = of_builds.value_or(0);
    for (ErrorPart& part : test->error) part.variance += test->build_variance;
    const bool is_edited = of_builds.has_value() && test->evidence == TimeEvidence::kChanged;
    test->minimum = LogEffect(is_edited ? options.changed_code_minimum_percent
                                        : options.minimum_effect_percent);
    SetP(*test);
  }
}

void JudgeTimeTests(const std::vector<TimeTest*>& tests, const TimeModelOptions& options) {
  MeasureEffects(tests, options);
  ControlFalseDiscoveries(tests, options.false_discovery_rate);
}

double HalfWidth95(const TimeTest& test) { return UpperQuantile(test, 0.025); }

double DetectablePercent(const TimeTest& test) {
  const double effect = test.minimum + ErrorsNeeded(test) * test.standard_error;
  return std::expm1(std::min(effect, 50.0)) * 100;
}

double MoreHeadRunsFor(const TimeTest& test, double percent) {
  const double allowed = AllowedVariance(test, percent);
  const double variance = test.standard_error * test.standard_error;
  if (variance <= allowed) return 0;
  // Each side's part is taken to go as one over its exposure: its runs, as long as they were.
  const double before = 1 / (test.before_samples + 0.5), after = 1 / (test.after_samples + 0.5);
  const double of_runs = variance - test.build_variance;
  const double of_head = of_runs * after / (before + after);
  const double rest = variance - of_head;
  if (allowed <= rest) return std::numeric_limits<double>::infinity();
  return static_cast<double>(test.after_runs) * (of_head / (allowed - rest) - 1);
}

}  // namespace gprofhub::reporter
