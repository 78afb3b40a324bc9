// The test of one function's time: what was sampled, and what it says.
#pragma once

#include <cmath>
#include <cstddef>

#include "reporter/times/effect_error.h"

namespace gprofhub::reporter {

// What the program's code says of whether the function's time may have changed.
enum class TimeEvidence {
  kUnknown,
  kChanged,  // its code changed
  kReached,  // its code and its calls are the same; it calls, or is called by, changed code
  kSame,     // its code and its calls are the same, and so is all above and below it
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
  TimeEvidence evidence = TimeEvidence::kUnknown;

  // Filled in by MeasureEffects. Effects are natural logarithms of after / before.
  double effect = 0;
  EffectError error;          // of sampling and of what runs vary by
  double build_variance = 0;  // of what builds differ by, which no number of runs makes smaller
  double minimum = 0;         // the effect that it is tested against
  double p = 1;               // that the true effect is no larger than the minimum
  // Filled in by ControlFalseDiscoveries.
  bool changed = false;  // stands out among all tests
  double p_needed = 0;   // the p that it would have to reach if it did not stand out
};

// Of the effect, with what builds differ by.
inline double StandardError(const TimeTest& test) {
  return std::sqrt(test.error.Variance() + test.build_variance);
}

}  // namespace gprofhub::reporter
