// Which arc of the base is which of the head.
#pragma once

#include <vector>

#include "reporter/matching/matched_target.h"
#include "reporter/matching/side_runs.h"

namespace gprofhub::reporter {

// The arcs of base and head, in the order of callees, then of callers. `matched` holds the matched
// functions and how many executions each side has. An arc has call sites only where its count per
// execution changed. A function's calls of its own clones are no arcs.
std::vector<ArcPair> MatchArcs(const SideRuns (&sides)[2], const MatchedTarget& matched);

}  // namespace gprofhub::reporter
