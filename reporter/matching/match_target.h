// Lays the computed profiles of one target's base runs and head runs over each other. The result
// says which function, arc and call site of the base is which of the head.
//
// Two functions are the same if their linkage names are, without the suffixes of the compiler's
// clones. Static functions must have the same source file, too. The image does not matter. What is
// left over is paired where the pair is unique on both sides, in this order:
// - by name: the file of a static function moved, or the function lost its `static`;
// - by name without parameters: the signature changed;
// - by what the functions do (renames.h).
// Several functions of one key are summed. A function's call of its own clone is no call.
//
// Two arcs are the same if caller and callee are. Their call sites are evidence only, because line
// numbers shift with every edit above them. pair_call_sites.h matches them by their order and
// counts.
#pragma once

#include "absl/types/span.h"
#include "profile/computed.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// Both sides hold at least one run. `older` are runs of older commits. They tell of times only, and
// only of functions that were the same there as at the base: called as often and of the same size.
MatchedTarget MatchTarget(absl::Span<const profile::ComputedProfile> before,
                          absl::Span<const profile::ComputedProfile> after,
                          absl::Span<const profile::ComputedProfile> older = {});

}  // namespace gprofhub::reporter
