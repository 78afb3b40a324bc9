// Matches arcs of base and head.
#pragma once

#include <vector>

#include "reporter/matching/matched_target.h"
#include "reporter/matching/side_runs.h"

namespace gprofhub::reporter {

// The arcs of base and head, sorted by callee and caller. `matched` holds the matched functions and
// each side's number of executions. An arc has call sites only if its count per execution changed.
// A function's calls of its own clones are not arcs.
std::vector<ArcPair> MatchArcs(const SideRuns (&sides)[2], const MatchedTarget& matched);

}  // namespace gprofhub::reporter
