// Which functions were inlined into which.
#pragma once

#include "reporter/matching/matched_target.h"
#include "reporter/matching/side_runs.h"

namespace gprofhub::reporter {

// Fills FunctionSide::inlined and MatchedTarget::knows_inlined, after functions were paired. A
// function of which a clone was made has what is inlined into its clones, too.
void MatchInlined(const SideRuns (&sides)[2], MatchedTarget& matched);

}  // namespace gprofhub::reporter
