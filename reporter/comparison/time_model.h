// The statistics of sampled times. A function's time per execution was sampled in several runs of
// base and head. Did it change by more than a minimum effect? Input and output are plain numbers.
// The essay is in time_model.cc.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace gprofhub::reporter {

// The error of an effect with uncertain variance: a mixture of normal distributions with mean zero.
// The weight of a part is the probability of its variance.

class EffectError {
 public:
  static constexpr size_t kParts = 7;
  struct Part {
    double weight = 0;
    double variance = 0;
  };

  EffectError() = default;
  // With a known variance.
  explicit EffectError(double variance) : parts_{{{1, variance}}} {}
  // The weights add up to 1.
  explicit EffectError(const std::array<Part, kParts>& parts) : parts_(parts) {}

  const std::array<Part, kParts>& parts() const { return parts_; }
  double Variance() const;
  // The sum of this error and an independent one with the given variance.
  EffectError With(double variance) const;
  // Probability that the error exceeds `value`, which is positive.
  double UpperTail(double value) const;
  // The value that the error exceeds with probability `tail`, which is between 0 and 0.5.
  double UpperQuantile(double tail) const;

 private:
  double HalvedQuantile(double tail, double low, double high) const;

  std::array<Part, kParts> parts_{{{1, 0}}};
};

// The test of one function's time: inputs and results.

// Evidence from the program's code that the function's time may have changed.
enum class TimeEvidence {
  kUnknown,
  kChanged,  // its code changed
  kReached,  // its code and its calls are the same; it calls, or is called by, changed code
  kSame,     // its code and its calls are the same, and so is everything above and below
};

// One function's time on both sides.
struct TimeTest {
  double before_samples = 0;
  double after_samples = 0;
  double before_exposure = 0;  // over all the side's runs, including machine speed
  double after_exposure = 0;
  size_t before_runs = 0;
  size_t after_runs = 0;
  // Pearson's sum of squares of the runs about their side's mean, and its degrees of freedom. About
  // equal if only sampling varies.
  double spread = 0;
  size_t spread_df = 0;
  // Whether the function is long enough for a change of its time to be material.
  bool matters = true;
  TimeEvidence evidence = TimeEvidence::kUnknown;

  // Set by MeasureEffects. Effects are natural logarithms of after / before.
  double effect = 0;
  EffectError error;          // from sampling and variation between runs
  double build_variance = 0;  // variance between builds, which more runs do not reduce
  double minimum = 0;         // the effect that it is tested against
  double p = 1;               // of the hypothesis that the true effect is at most the minimum
  // Set by ControlFalseDiscoveries.
  bool changed = false;  // significant among all tests
  double p_needed = 0;   // the p required for significance, if it was not reached
};

// Of the effect, including the variance between builds.
inline double StandardError(const TimeTest& test) {
  return std::sqrt(test.error.Variance() + test.build_variance);
}

// Variance of times between two builds, beyond that between runs.

// The variance of effects, from functions whose code and calls are the same on both sides. The
// tests must have effects and standard errors, without the variance between builds. Nothing if
// there are too few such functions.
std::optional<double> EstimateBuildVariance(const std::vector<TimeTest*>& tests);

// Controls false discoveries among many tests of times.

// Sets TimeTest::changed and p_needed. Of those with `changed`, at most the fraction `rate` is
// chance. Tests of functions that are too short are never significant, and do not raise the bar for
// others.
void ControlFalseDiscoveries(const std::vector<TimeTest*>& tests, double rate);

// Machine speed of a target's runs.

// Minimum samples per run for a function, or a pool of shorter ones, to measure machine speed.
inline constexpr double kEnoughSamples = 20;
// Minimum number of these, to separate a common factor from single changes.
inline constexpr size_t kEnoughFunctions = 5;

// The runs of one target. `exposure` is samples per second × executions, so samples / exposure is
// seconds per execution. The first `before` runs are the base's. Samples are NaN if the run has no
// information about the function.
struct RunExposures {
  std::vector<double> exposure;
  size_t before = 0;
};

// Speed of each run's machine: the factor by which its times are longer than the base's. 1 if it
// cannot be estimated, or would not help. Each function has its samples by run. Those of `same` do
// the same on both sides; those of `others` need not, and show only how the runs of one side
// differ. The head has a run. If the base has none, a factor compares a run with the head's others.
std::vector<double> EstimateSpeedFactors(const RunExposures& runs,
                                         absl::Span<const absl::Span<const double>> same,
                                         absl::Span<const absl::Span<const double>> others);

// Variation of functions' times from run to run, beyond sampling error. The essay is in
// run_variation.cc.

// Prior probabilities of the degrees of variation among the functions of a comparison.
class RunVariation {
 public:
  // One entry per degree of variation.
  using Shares = std::array<double, EffectError::kParts>;

  // Estimated from the tests' runs. With few tests, or single runs, the hyperprior dominates.
  explicit RunVariation(const std::vector<TimeTest*>& tests);

  // Error of the test's effect, without the variance between builds.
  EffectError ErrorOf(const TimeTest& test) const;

 private:
  Shares shares_;  // they add up to 1
};

struct TimeModelOptions {
  // Smaller effects are ignored.
  double minimum_effect_percent = 5;
  // The same for functions whose code changed, if functions with unchanged code show the variance
  // between builds.
  double changed_code_minimum_percent = 1;
  // Maximum fraction of false discoveries (Benjamini-Hochberg).
  double false_discovery_rate = 0.007;
};

// The test of one function, from its samples in each run. Runs with NaN are skipped. `speed` as
// from EstimateSpeedFactors.
TimeTest MakeTimeTest(const RunExposures& runs, absl::Span<const double> speed,
                      absl::Span<const double> samples);

// Sets the effects, their errors and p. The tests of all functions and targets of a comparison are
// passed together, because each is evidence of how much times vary.
void MeasureEffects(const std::vector<TimeTest*>& tests, const TimeModelOptions& options);

// Sets p, from the effect, its error and the minimum.
void SetP(TimeTest& test);

// MeasureEffects and ControlFalseDiscoveries (discoveries.h).
void JudgeTimeTests(const std::vector<TimeTest*>& tests, const TimeModelOptions& options);

// Half the width of the effect's 95% confidence interval.
double HalfWidth95(const TimeTest& test);

// The interval of the effect, in logarithms, that excludes 0 if and only if the test is
// significant: at the level that was required among all tests, and widened by the minimum effect.
std::pair<double, double> DecisionInterval(const TimeTest& test);

// Whether the 95% interval lies from `least` to `most`, in logarithms. -INFINITY: no lower bound.
bool IsWithin95(const TimeTest& test, double least, double most);

// The effect, in percent, that would have been detected with a power of 80%.
double DetectablePercent(const TimeTest& test);

// The number of additional runs of the head after which an effect of `percent` is detected with a
// power of 80%. 0 if the existing runs suffice, infinite if no number does.
double MoreHeadRunsFor(const TimeTest& test, double percent);

// Whether that number is at most `runs`. Faster than computing it.
bool HeadRunsWouldShow(const TimeTest& test, double percent, double runs);

}  // namespace gprofhub::reporter
