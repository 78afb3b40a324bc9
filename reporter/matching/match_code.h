// Detects functions whose code changed.
#pragma once

#include <vector>

#include "reporter/matching/matched_target.h"
#include "reporter/matching/side_runs.h"

namespace gprofhub::reporter {

// Sets FunctionPair::code. A function changed if its code or that of a clone did. It is the same
// only if its own code is known in all runs. The code of a function of one side only is unknown:
// the other side's program may contain it without calling it.
void MatchCode(const SideRuns (&sides)[2], std::vector<FunctionPair>& functions);

}  // namespace gprofhub::reporter
