// Functions whose cost only moved: renamed, moved to another file, inlined into their callers,
// outlined from them, split and merged. The essay is in cost_shifts.cc.
#pragma once

#include "reporter/matching/matched_target.h"
#include "reporter/shifts/moved_calls.h"

namespace gprofhub::reporter {

CostShifts FindCostShifts(const MatchedTarget& target);

}  // namespace gprofhub::reporter
