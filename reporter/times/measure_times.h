// What samples say of the times of one target's functions.
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

// The time of the whole target, judged alone. How fast machines were is not taken out: where every
// function changed, that cannot be told from it. Runs of older commits have no say.
TimeTest JudgeWholeTime(absl::Span<const profile::ComputedProfile> before,
                        absl::Span<const profile::ComputedProfile> older,
                        absl::Span<const profile::ComputedProfile> after,
                        const TimeOptions& options);

// The own times of some functions of the target together, judged alone.
TimeTest JudgeTimeTogether(const MatchedTarget& target,
                           absl::Span<const profile::ComputedProfile> before,
                           absl::Span<const profile::ComputedProfile> older,
                           absl::Span<const profile::ComputedProfile> after,
                           absl::Span<const uint32_t> functions, const TimeOptions& options);

}  // namespace gprofhub::reporter
