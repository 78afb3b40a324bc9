// Matches inlined functions.
#pragma once

#include "reporter/matching/matched_target.h"
#include "reporter/matching/side_runs.h"

namespace gprofhub::reporter {

// Sets FunctionSide::inlined and MatchedTarget::knows_inlined, after functions were paired.
// Functions inlined into a function's clones count as inlined into the function.
void MatchInlined(const SideRuns (&sides)[2], MatchedTarget& matched);

}  // namespace gprofhub::reporter
