// Judges the sampled times of all targets of a comparison together.
#pragma once

#include <vector>

#include "reporter/times/target_times.h"

namespace gprofhub::reporter {

// Judges own times together, total times together, and instructions together: each target's, and
// those of functions that several targets run.
void JudgeTimes(const std::vector<TargetTimes*>& targets, const TimeOptions& options);

}  // namespace gprofhub::reporter
