// Judges the sampled times of all targets of a comparison together.
#pragma once

#include <utility>
#include <vector>

#include "reporter/times/target_times.h"

namespace gprofhub::reporter {

// Judges own times against each other, and total times. Returns the p that one more
// own, and one more total time would have had to reach.
std::pair<double, double> JudgeTimes(const std::vector<TargetTimes*>& targets,
                                     const TimeOptions& options);

}  // namespace gprofhub::reporter
