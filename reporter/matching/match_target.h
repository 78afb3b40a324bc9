// Lays the computed profiles of one target's base runs and head runs over each
// other: which function, arc and call site of the one side is which of the other.
//
// Functions are the same if their linkage names are, without the suffixes of
// compiler's clones, and, for static ones, the source file; the image does not
// matter. What that leaves over is paired where the pair is unique on both sides:
// by name (a static function whose file moved, or that lost its `static`), by
// name without parameters (a changed signature), and by what they do (renames.h).
// Several functions of one key are summed; calls among them, a function calling
// its own split-off part, are no calls.
//
// Arcs are the same if caller and callee are. Their call sites, whose line
// numbers shift with every edit above them, are evidence only: matched in order
// of their place in the caller if both sides have equally many, else by line.
#pragma once

#include "absl/types/span.h"
#include "profile/computed.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// Both sides hold at least one run. `older` are runs of older commits. They tell only of the times
// of functions that were the same there as at the base: called as often and of the same size.
MatchedTarget MatchTarget(absl::Span<const profile::ComputedProfile> before,
                          absl::Span<const profile::ComputedProfile> after,
                          absl::Span<const profile::ComputedProfile> older = {});

}  // namespace gprofhub::reporter
