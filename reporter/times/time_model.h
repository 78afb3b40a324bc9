// The statistics of sampled times: is a function's time per execution, sampled in
// several runs of a base and of a head, longer or shorter than before by more
// than a minimum effect? Plain numbers in, plain numbers out; the essay is in
// time_model.cc.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "reporter/times/machine_speed.h"

namespace gprofhub::reporter {

struct TimeModelOptions {
  // An effect up to this is none: what is tested is that it is larger.
  double minimum_effect_percent = 5;
  // Of the changes found, at most this part may be chance (Benjamini-Hochberg).
  double false_discovery_rate = 0.01;
  // Run-to-run variation of a function's time beyond that of sampling, as a
  // coefficient of variation, where a single run on each side shows none: functions that
  // wait for memory vary so much on machines with neighbours.
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
  // Pearson's sum of squares of the runs about their side's mean, and its degrees
  // of freedom; expected equal if nothing but sampling varies.
  double spread = 0;
  size_t spread_df = 0;
  // It is long enough for a change of it to be material.
  bool matters = true;

  // Filled in by JudgeTimes. Effects are natural logarithms of after / before.
  double effect = 0;
  double standard_error = 0;
  double df = 0;         // of Student's t
  double p = 1;          // that the true effect is no larger than the minimum
  bool changed = false;  // stands out among all tests
};

// Of a function's samples in each run.
TimeTest MakeTimeTest(const RunExposures& runs, absl::Span<const double> speed,
                      absl::Span<const double> samples);

// Fills in the answers; the tests of all functions and targets of a comparison
// are judged together. Of those that do not matter none stands out. Returns what p one
// more would have had to reach.
double JudgeTimeTests(const std::vector<TimeTest*>& tests, const TimeModelOptions& options);

// Half the width of the effect's interval that holds the true one 95 times in 100.
double HalfWidth95(const TimeTest& test);

// The effect, in percent, that would have stood out four times in five; `p` as
// JudgeTimeTests returned it.
double DetectablePercent(const TimeTest& test, double p, const TimeModelOptions& options);

// How many times as many runs, on both sides, would make an effect of `percent` stand out four
// times in five. 1 if the runs at hand do. Infinite if `percent` is no more than the minimum
// effect.
double RunsFactorFor(const TimeTest& test, double p, double percent,
                     const TimeModelOptions& options);

}  // namespace gprofhub::reporter
