// Which functions' code is the base's.
#pragma once

#include <vector>

#include "reporter/matching/matched_target.h"
#include "reporter/matching/side_runs.h"

namespace gprofhub::reporter {

// Sets FunctionPair::code. A function changed if its code or that of a clone did. It is the same
// only if its own code is known of all runs. What one side alone has is not known: the other side's
// program may have it, and not call it.
void MatchCode(const SideRuns (&sides)[2], std::vector<FunctionPair>& functions);

}  // namespace gprofhub::reporter
