// The statistics of sampled times. A function's time per execution was sampled in several runs of a
// base and of a head. Is it longer or shorter than before, by more than a minimum effect? Plain
// numbers go in, plain numbers come out. The essay is in time_model.cc.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "reporter/times/machine_speed.h"
#include "reporter/times/time_test.h"

namespace gprofhub::reporter {

struct TimeModelOptions {
  // An effect up to this counts as none.
  double minimum_effect_percent = 5;
  // The same of functions whose code changed, where functions whose code did not change say how
  // much times differ between builds.
  double changed_code_minimum_percent = 1;
  // Of the changes found, at most this part may be chance (Benjamini-Hochberg).
  double false_discovery_rate = 0.007;
};

// The test of one function, from its samples in each run. Samples that are not a number leave the
// run out. `speed` is EstimateSpeedFactors'.
TimeTest MakeTimeTest(const RunExposures& runs, absl::Span<const double> speed,
                      absl::Span<const double> samples);

// Fills in the effects, their errors and p. The tests of all functions and targets of a comparison
// are measured together: each says something of how much times vary.
void MeasureEffects(const std::vector<TimeTest*>& tests, const TimeModelOptions& options);

// Fills in p, from the effect, its error and the minimum.
void SetP(TimeTest& test);

// MeasureEffects and ControlFalseDiscoveries (discoveries.h).
void JudgeTimeTests(const std::vector<TimeTest*>& tests, const TimeModelOptions& options);

// Half the width of the interval about the effect that holds the true effect 95 times in 100.
double HalfWidth95(const TimeTest& test);

// Whether that interval lies from `least` to `most`, in logarithms. -INFINITY: nothing is too low.
bool IsWithin95(const TimeTest& test, double least, double most);

// The effect, in percent, that would have stood out four times in five.
double DetectablePercent(const TimeTest& test);

// How many more runs of the head would make an effect of `percent` stand out four times in five. 0
// if the runs at hand do, infinite if no number of them does.
double MoreHeadRunsFor(const TimeTest& test, double percent);

// Whether that is so many or fewer. It takes a part of the time.
bool HeadRunsWouldShow(const TimeTest& test, double percent, double runs);

}  // namespace gprofhub::reporter
