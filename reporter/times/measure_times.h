// Sampled times of one target's functions.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "profile/computed.h"
#include "reporter/matching/matched_target.h"
#include "reporter/times/target_times.h"

namespace gprofhub::reporter {

// Both sides have a run, and all runs are sampled in one dimension. `older` are the runs of older
// commits that `target` was matched with.
TargetTimes MeasureTimes(const MatchedTarget& target,
                         absl::Span<const profile::ComputedProfile> before,
                         absl::Span<const profile::ComputedProfile> older,
                         absl::Span<const profile::ComputedProfile> after,
                         const TimeOptions& options);

// The test of the whole target's time alone. Machine speed is not corrected: if every function
// changed, the two cannot be separated. Runs of older commits are not used.
TimeTest JudgeWholeTime(absl::Span<const profile::ComputedProfile> before,
                        absl::Span<const profile::ComputedProfile> older,
                        absl::Span<const profile::ComputedProfile> after,
                        const TimeOptions& options);

// The test of the summed self times of some functions of the target.
TimeTest JudgeTimeTogether(const MatchedTarget& target,
                           absl::Span<const profile::ComputedProfile> before,
                           absl::Span<const profile::ComputedProfile> older,
                           absl::Span<const profile::ComputedProfile> after,
                           absl::Span<const uint32_t> functions, const TimeOptions& options);

}  // namespace gprofhub::reporter
