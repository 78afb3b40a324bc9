// The statistics of sampled times. A function's time per execution was sampled in several runs of
// base and head. Did it change by more than a minimum effect? Input and output are plain numbers.
// The essay is in time_model.cc.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "reporter/times/machine_speed.h"
#include "reporter/times/time_test.h"

namespace gprofhub::reporter {

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

// Whether that interval lies from `least` to `most`, in logarithms. -INFINITY: no lower bound.
bool IsWithin95(const TimeTest& test, double least, double most);

// The effect, in percent, that would have been detected with a power of 80%.
double DetectablePercent(const TimeTest& test);

// The number of additional runs of the head after which an effect of `percent` is detected with a
// power of 80%. 0 if the existing runs suffice, infinite if no number does.
double MoreHeadRunsFor(const TimeTest& test, double percent);

// Whether that number is at most `runs`. Faster than computing it.
bool HeadRunsWouldShow(const TimeTest& test, double percent, double runs);

}  // namespace gprofhub::reporter
