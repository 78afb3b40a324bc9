// How much a series of samples scatters about its levels.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "reporter/history/change_points.h"

namespace gprofhub::reporter {

// How much a series scatters, and how well that is known.
struct Scatter {
  double dispersion = 1;  // Var(samples) / mean
  double df = 1000;       // degrees of freedom of that estimate
};

// The scatter of each series about its own levels, whatever steps it has; what is
// typical of all steadies what each alone shows. Never less than sampling's own.
std::vector<Scatter> EstimateScatter(absl::Span<const std::vector<TimePoint>> series);

// The scatter of counts that vary from run to run, by their neighbours alone.
Scatter ScatterOfCounts(absl::Span<const TimePoint> points);

// The square of the difference of two rates, over what Poisson's law expects of it.
double ScaledDifference(const TimePoint& a, const TimePoint& b);

}  // namespace gprofhub::reporter
