// The statistics of sampled times. A function's time per execution was sampled in several runs of a
// base and of a head. Is it longer or shorter than before, by more than a minimum effect? Plain
// numbers go in, plain numbers come out. The essay is in time_model.cc.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "reporter/times/machine_speed.h"

namespace gprofhub::reporter {

struct TimeModelOptions {
  // An effect up to this counts as none.
  double minimum_effect_percent = 5;
  // Of the changes found, at most this part may be chance (Benjamini-Hochberg).
  double false_discovery_rate = 0.01;
  // How much a function's time varies from run to run beyond sampling, as a coefficient of
  // variation. It is assumed where a single run on each side shows none. Functions that wait for
  // memory vary so much on machines with neighbours.
  double single_run_variation = 0.25;
  // The same where there are several runs, but few functions to learn it from.
  double assumed_variation = 0.1;
};

// One function's time on both sides.
struct TimeTest {
  double before_samples = 0;
  double after_samples = 0;
  double before_exposure = 0;  // of all the side's runs, machine speed included
  double after_exposure = 0;
  size_t before_runs = 0;
  size_t after_runs = 0;
  // Pearson's sum of squares of the runs about their side's mean, and its degrees of freedom. The
  // two are about equal if nothing but sampling varies.
  double spread = 0;
  size_t spread_df = 0;
  // Whether the function is long enough for a change of its time to be material.
  bool matters = true;

  // Filled in by JudgeTimeTests. Effects are natural logarithms of after / before.
  double effect = 0;
  double standard_error = 0;
  double df = 0;         // of Student's t
  double p = 1;          // that the true effect is no larger than the minimum
  bool changed = false;  // stands out among all tests
};

// The test of one function, from its samples in each run. Samples that are not a number leave the
// run out. `speed` is EstimateSpeedFactors'.
TimeTest MakeTimeTest(const RunExposures& runs, absl::Span<const double> speed,
                      absl::Span<const double> samples);

// Fills in the answers. The tests of all functions and targets of a comparison are judged
// together. Those that do not matter never stand out. Returns the p that one more test would have
// had to reach.
double JudgeTimeTests(const std::vector<TimeTest*>& tests, const TimeModelOptions& options);

// Half the width of the interval about the effect that holds the true effect 95 times in 100.
double HalfWidth95(const TimeTest& test);

// The effect, in percent, that would have stood out four times in five. `p` is what JudgeTimeTests
// returned.
double DetectablePercent(const TimeTest& test, double p, const TimeModelOptions& options);

// How many times as many runs, on both sides, would make an effect of `percent` stand out four
// times in five. 1 if the runs at hand do. Infinite if `percent` is no more than the minimum
// effect.
double RunsFactorFor(const TimeTest& test, double p, double percent,
                     const TimeModelOptions& options);

}  // namespace gprofhub::reporter
