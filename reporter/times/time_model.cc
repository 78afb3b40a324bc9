// The standard error of a function's effect depends on sampling and on the variation of its runs
// (run_variation.cc).
//
// The effect log(after / before) is tested against a minimum effect δ, not against zero (McCarthy
// and Smyth, "TREAT", 2009):
//
//   p = P(error > |effect| - δ) / part
//
// So a tiny change of a well-sampled function is not a finding, however significant it is. Small
// systematic errors, such as a machine speed that is half a percent wrong, raise no alarms. `part`
// splits the false discovery budget between slower and faster functions. Authors usually know when
// they made a function faster, so slower functions get most of it.
//
// Two builds differ in the memory layout of code and data, which is invisible between runs of one
// build. So a function's time may differ between the sides by more than runs vary. Functions with
// the same code and calls show by how much (build_variance.cc). That is added to everyone's error.
// If it is known, a function with changed code is tested against a smaller minimum: the larger one
// only covers effects that are not modelled.
//
// Significance is decided over all functions of all targets (discoveries.cc).
#include "reporter/times/time_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "reporter/times/build_variance.h"
#include "reporter/times/discoveries.h"
#include "reporter/times/effect_error.h"
#include "reporter/times/run_variation.h"

namespace gprofhub::reporter {
namespace {

constexpr double kTail95 = 0.025;  // on either side of a 95% interval
constexpr double kPower = 0.8416;  // normal quantile for a power of 80%
// Part of the false positive probability that is assigned to slower functions.
constexpr double kPartOfSlower = 0.9;

// Half a sample is added to avoid the logarithm of zero.
double Effect(const TimeTest& test) {
  return std::log((test.after_samples + 0.5) / test.after_exposure) -
         std::log((test.before_samples + 0.5) / test.before_exposure);
}

double LogEffect(double percent) { return std::log1p(percent / 100); }

// The tail probability that a slowdown must reach to be significant.
double TailNeeded(const TimeTest& test) {
  return std::clamp(test.p_needed * kPartOfSlower, 1e-300, 0.5);
}

// Distance from the minimum, in standard errors, of the slowdown that is detected with a power of
// 80%.
double ErrorsNeeded(const TimeTest& test) {
  const double errors = StandardError(test);
  if (errors <= 0) return 0;
  return test.error.With(test.build_variance).UpperQuantile(TailNeeded(test)) / errors + kPower;
}

// An effect's variance. Each side's part is assumed to be inversely proportional to its exposure.
struct Variances {
  double of_head = 0;  // reduced by more runs of the head
  double rest = 0;
};

Variances VariancesOf(const TimeTest& test) {
  const double before = 1 / (test.before_samples + 0.5), after = 1 / (test.after_samples + 0.5);
  const double of_runs = test.error.Variance();
  const double of_head = of_runs * after / (before + after);
  return {of_head, of_runs - of_head + test.build_variance};
}

// The variance at which an effect of `percent` is detected with a power of 80%; 0 if it never is.
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
  const EffectError error = test.error.With(test.build_variance);
  const double part = test.effect > 0 ? kPartOfSlower : 1 - kPartOfSlower;
  const double beyond = std::fabs(test.effect) - test.minimum;
  test.p = beyond > 0 ? std::min(1.0, error.UpperTail(beyond) / part) : 1;
}

void MeasureEffects(const std::vector<TimeTest*>& tests, const TimeModelOptions& options) {
  const RunVariation variation(tests);
  for (TimeTest* test : tests) {
    test->effect = Effect(*test);
    test->error = variation.ErrorOf(*test);
  }
  const std::optional<double> of_builds = EstimateBuildVariance(tests);
  for (TimeTest* test : tests) {
    test->build_variance = of_builds.value_or(0);
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

double HalfWidth95(const TimeTest& test) {
  return test.error.With(test.build_variance).UpperQuantile(kTail95);
}

bool IsWithin95(const TimeTest& test, double least, double most) {
  const double room = std::min(test.effect - least, most - test.effect);
  // Computing a tail is fast; a quantile requires a search.
  return room >= 0 &&
         (room == INFINITY || test.error.With(test.build_variance).UpperTail(room) <= kTail95);
}

double DetectablePercent(const TimeTest& test) {
  const double effect = test.minimum + ErrorsNeeded(test) * StandardError(test);
  return std::expm1(std::min(effect, 50.0)) * 100;
}

double MoreHeadRunsFor(const TimeTest& test, double percent) {
  const double allowed = AllowedVariance(test, percent);
  const Variances variances = VariancesOf(test);
  if (variances.of_head + variances.rest <= allowed) return 0;
  if (allowed <= variances.rest) return std::numeric_limits<double>::infinity();
  return static_cast<double>(test.after_runs) *
         (variances.of_head / (allowed - variances.rest) - 1);
}

bool HeadRunsWouldShow(const TimeTest& test, double percent, double runs) {
  const double room = LogEffect(percent) - test.minimum;
  const double head_runs = static_cast<double>(test.after_runs);
  const Variances variances = VariancesOf(test);
  const double variance = variances.rest + variances.of_head * head_runs / (head_runs + runs);
  if (room <= 0 || variance <= 0) return room > 0;
  const double error = StandardError(test) * (room / std::sqrt(variance) - kPower);
  return error >= 0 && test.error.With(test.build_variance).UpperTail(error) <= TailNeeded(test);
}

}  // namespace gprofhub::reporter
