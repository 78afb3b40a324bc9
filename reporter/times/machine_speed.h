// How fast the machines were that the runs of a target ran on.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/types/span.h"

namespace gprofhub::reporter {

// From so many samples a run on, a function tells of its run.
inline constexpr double kEnoughSamples = 20;
// From so many such functions on, what they have in common is not one function's own.
inline constexpr size_t kEnoughFunctions = 5;

// The runs of one target. `exposure` is samples per second × executions, so samples / exposure is
// seconds per execution. The first `before` runs are the base's. Where a function's samples are not
// a number, the run says nothing of it.
struct RunExposures {
  std::vector<double> exposure;
  size_t before = 0;
};

// How fast each run's machine was: the factor by which its times are longer than the base's. 1
// where that cannot be told, or would not help. `samples[f]` holds function f's samples in each
// run. The head has a run. If the base has none, a factor compares a run with the head's others.
std::vector<double> EstimateSpeedFactors(const RunExposures& runs,
                                         absl::Span<const absl::Span<const double>> samples);

}  // namespace gprofhub::reporter
