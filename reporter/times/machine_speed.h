// Machine speed of a target's runs.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/types/span.h"

namespace gprofhub::reporter {

// Minimum samples per run for a function to measure machine speed.
inline constexpr double kEnoughSamples = 20;
// Minimum number of such functions, to separate a common factor from single changes.
inline constexpr size_t kEnoughFunctions = 5;

// The runs of one target. `exposure` is samples per second × executions, so samples / exposure is
// seconds per execution. The first `before` runs are the base's. Samples are NaN if the run has no
// information about the function.
struct RunExposures {
  std::vector<double> exposure;
  size_t before = 0;
};

// Speed of each run's machine: the factor by which its times are longer than the base's. 1 if it
// cannot be estimated, or would not help. `samples[f]` has function f's samples by run. The head
// has a run. If the base has none, a factor compares a run with the head's others.
std::vector<double> EstimateSpeedFactors(const RunExposures& runs,
                                         absl::Span<const absl::Span<const double>> samples);

}  // namespace gprofhub::reporter
