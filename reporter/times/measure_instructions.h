// Instructions of one target's functions, counted in addition to time.
#pragma once

#include "absl/types/span.h"
#include "profile/computed.h"
#include "reporter/matching/matched_target.h"
#include "reporter/times/target_times.h"

namespace gprofhub::reporter {

// Sets times.instructions and times.larger_instructions, if both sides have a run that counted
// instructions. The runs are those that `target` was matched with. The essay is in
// measure_instructions.cc.
void MeasureInstructions(const MatchedTarget& target,
                         absl::Span<const profile::ComputedProfile> before,
                         absl::Span<const profile::ComputedProfile> older,
                         absl::Span<const profile::ComputedProfile> after,
                         const TimeOptions& options, TargetTimes& times);

}  // namespace gprofhub::reporter
