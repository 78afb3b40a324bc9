// How much a series of samples scatters about its levels.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "reporter/history/change_points.h"

namespace gprofhub::reporter {

// How much a series scatters, and how surely that is known.
struct Scatter {
  double dispersion = 1;  // Var(samples) / mean
  double df = 1000;       // degrees of freedom of that estimate
};

// The scatter of each series about its own levels. Steps do not count as scatter. What is typical
// of all series steadies what each shows alone. The result is never less than sampling's own
// scatter.
std::vector<Scatter> EstimateScatter(absl::Span<const std::vector<TimePoint>> series);

// The scatter of counts that vary from run to run. It is estimated from the series alone.
Scatter ScatterOfCounts(absl::Span<const TimePoint> points);

// The square of the difference of two rates, divided by what Poisson's law expects. 0 without a
// sample.
double ScaledDifference(const TimePoint& a, const TimePoint& b);

}  // namespace gprofhub::reporter
