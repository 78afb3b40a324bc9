// Matches the computed profiles of one target's base runs and head runs: functions, arcs and call
// sites.
//
// Two functions are the same if their linkage names are, without the suffixes of compiler clones.
// Static functions must also have the same source file. The image does not matter. Functions that
// have one code in one of the runs (folded by the linker, or aliases) are one function under all
// their names. The numbers of lambdas and unnamed types are not part of a name (numbered_names.cc).
// Remaining functions are paired if the pair is unique on both sides, in this order:
// - by name: the file of a static function moved, or the function lost its `static`;
// - by name without parameters: the signature changed;
// - by behaviour (renames.h).
//
// Several functions of one key are summed. A function's call of its own clone is not a call.
//
// Two arcs are the same if caller and callee are. Their call sites are evidence only, because line
// numbers shift with every edit above them. pair_call_sites.h matches them by order and count.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "profile/computed.h"
#include "reporter/comparison/pair_call_sites.h"

namespace gprofhub::reporter {

// Matches arcs of base and head.

// The arcs of base and head, sorted by callee and caller. `matched` holds the matched functions and
// each side's number of executions. An arc has call sites only if its count per execution changed.
// A function's calls of its own clones are not arcs.
std::vector<ArcPair> MatchArcs(const SideRuns (&sides)[2], const MatchedTarget& matched);

// By how many lines the function's beginning moved down; 0 if unknown.
int64_t ShiftOf(const MatchedTarget& target, uint32_t function);

// Sets MatchedTarget::lines, after functions were paired: of the functions that both sides have,
// and whose code changed or which have samples.
void MatchLines(const SideRuns (&sides)[2], MatchedTarget& matched);

// Pairs functions that only the base has with functions that only the head has.

// Pairs by name, by name without parameters, by code digest, and then by behaviour (renames.h),
// each only if the pair is unique on both sides. A pair becomes one function: the base's. The
// head's function is left empty, and the sides' rows are redirected to the merged function.
//
// The costs must already be added (match_costs.h).
void PairLoneFunctions(SideRuns (&sides)[2], MatchedTarget& matched);

// Both sides have at least one run. `older` are runs of older commits. They count for times only,
// and only for functions that were the same there as at the base: same number of calls and same
// size.
MatchedTarget MatchTarget(absl::Span<const profile::ComputedProfile> before,
                          absl::Span<const profile::ComputedProfile> after,
                          absl::Span<const profile::ComputedProfile> older = {});

}  // namespace gprofhub::reporter
