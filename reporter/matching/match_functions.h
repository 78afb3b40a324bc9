// Pairs functions that only the base has with functions that only the head has.
#pragma once

#include "reporter/matching/matched_target.h"
#include "reporter/matching/side_runs.h"

namespace gprofhub::reporter {

// Pairs by name, by name without parameters, by code digest, and then by behaviour (renames.h),
// each only if the pair is unique on both sides. A pair becomes one function: the base's. The
// head's function is left empty, and the sides' rows are redirected to the merged function.
//
// The costs must already be added (match_costs.h).
void PairLoneFunctions(SideRuns (&sides)[2], MatchedTarget& matched);

}  // namespace gprofhub::reporter
