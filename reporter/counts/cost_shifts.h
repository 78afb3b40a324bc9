// Functions whose cost only moved: renamed, moved to another file, inlined into
// their callers, taken out of them, split and merged. The essay is in
// cost_shifts.cc.
#pragma once

#include <vector>

#include "proto/findings.pb.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// By function of the matched target: how its cost moved; kind unspecified where
// it did not.
using CostShifts = std::vector<v1::Shift>;

// Whether it is of a kind that changes which functions are called: INLINED,
// OUTLINED, SPLIT.
bool MovesCalls(const v1::Shift& shift);

CostShifts FindCostShifts(const MatchedTarget& target);

}  // namespace gprofhub::reporter
