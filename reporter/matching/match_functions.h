// Pairs the functions that only the base has with those that only the head has.
#pragma once

#include "reporter/matching/matched_target.h"
#include "reporter/matching/side_runs.h"

namespace gprofhub::reporter {

// By name, then by name without parameters, then by what they do (renames.h). A pair becomes one
// function; what was the head's half of it is left empty. The sides' rows are pointed at what the
// functions became. The costs are there.
void PairLoneFunctions(SideRuns (&sides)[2], MatchedTarget& matched);

}  // namespace gprofhub::reporter
