// What was counted, beside the time, of the instructions of one target's functions.
#pragma once

#include "absl/types/span.h"
#include "profile/computed.h"
#include "reporter/matching/matched_target.h"
#include "reporter/times/target_times.h"

namespace gprofhub::reporter {

// Fills in times.instructions and times.larger_instructions, where both sides have a run that
// counted instructions. The runs are those that `target` was matched with. The essay is in
// measure_instructions.cc.
void MeasureInstructions(const MatchedTarget& target,
                         absl::Span<const profile::ComputedProfile> before,
                         absl::Span<const profile::ComputedProfile> older,
                         absl::Span<const profile::ComputedProfile> after,
                         const TimeOptions& options, TargetTimes& times);

}  // namespace gprofhub::reporter
