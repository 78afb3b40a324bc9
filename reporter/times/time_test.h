// The test of one function's time: inputs and results.
#pragma once

#include <cmath>
#include <cstddef>

#include "reporter/times/effect_error.h"

namespace gprofhub::reporter {

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

}  // namespace gprofhub::reporter
