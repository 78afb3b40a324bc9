// Pairs the functions that only the base has with those that only the head has.
#pragma once

#include "reporter/matching/matched_target.h"
#include "reporter/matching/side_runs.h"

namespace gprofhub::reporter {

// Pairs by name, by name without parameters, by the digest of their code, and then by what the
// functions do (renames.h). Only a pair that is unique on both sides is made. It becomes one
// function: the base's. What was the head's function is left empty. The sides' rows then point at
// what the functions became.
//
// The costs must have been added (match_costs.h).
void PairLoneFunctions(SideRuns (&sides)[2], MatchedTarget& matched);

}  // namespace gprofhub::reporter
