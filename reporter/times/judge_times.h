// Judges the sampled times of all targets of a comparison together.
#pragma once

#include <utility>
#include <vector>

#include "reporter/times/target_times.h"

namespace gprofhub::reporter {

// Judges own times together, and total times together. Returns the p that one more own time would
// have had to reach, and the same of total times.
std::pair<double, double> JudgeTimes(const std::vector<TargetTimes*>& targets,
                                     const TimeOptions& options);

}  // namespace gprofhub::reporter
