// Functions whose cost only moved: renamed, moved to another file, inlined into their callers,
// outlined from them, split and merged. The essay is in cost_shifts.cc.
#pragma once

#include "reporter/comparison/moved_calls.h"
#include "reporter/comparison/pair_call_sites.h"

namespace gprofhub::reporter {

CostShifts FindCostShifts(const MatchedTarget& target);

}  // namespace gprofhub::reporter
