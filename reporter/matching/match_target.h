// Matches the computed profiles of one target's base runs and head runs: functions, arcs and call
// sites.
//
// Two functions are the same if their linkage names are, without the suffixes of compiler clones.
// Static functions must also have the same source file. The image does not matter. Remaining
// functions are paired if the pair is unique on both sides, in this order:
// - by name: the file of a static function moved, or the function lost its `static`;
// - by name without parameters: the signature changed;
// - by behaviour (renames.h).
//
// Several functions of one key are summed. A function's call of its own clone is not a call.
//
// Two arcs are the same if caller and callee are. Their call sites are evidence only, because line
// numbers shift with every edit above them. pair_call_sites.h matches them by order and count.
#pragma once

#include "absl/types/span.h"
#include "profile/computed.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// Both sides have at least one run. `older` are runs of older commits. They count for times only,
// and only for functions that were the same there as at the base: same number of calls and same
// size.
MatchedTarget MatchTarget(absl::Span<const profile::ComputedProfile> before,
                          absl::Span<const profile::ComputedProfile> after,
                          absl::Span<const profile::ComputedProfile> older = {});

}  // namespace gprofhub::reporter
