// Dispersion of a series of samples about its levels.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "reporter/history/change_points.h"

namespace gprofhub::reporter {

// Estimated dispersion and its precision.
struct Scatter {
  double dispersion = 1;  // Var(samples) / mean
  double df = 1000;       // degrees of freedom of that estimate
};

// The dispersion of each series about its own levels; steps do not count. Shrunk towards the
// typical value of all series. Never less than sampling error.
std::vector<Scatter> EstimateScatter(absl::Span<const std::vector<TimePoint>> series);

// The dispersion of counts that vary from run to run, estimated from the series alone.
Scatter ScatterOfCounts(absl::Span<const TimePoint> points);

// The squared difference of two rates, divided by its expectation under Poisson's law. 0 without
// samples.
double ScaledDifference(const TimePoint& a, const TimePoint& b);

}  // namespace gprofhub::reporter
