// Tests the sampled times of all targets of a comparison together.
#pragma once

#include <vector>

#include "reporter/times/target_times.h"

namespace gprofhub::reporter {

// Tests self times together, total times together, and instructions together: per target, and
// pooled for functions of several targets.
void JudgeTimes(const std::vector<TargetTimes*>& targets, const TimeOptions& options);

}  // namespace gprofhub::reporter
