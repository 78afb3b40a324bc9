// How the cost of functions moved.
#pragma once

#include <vector>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// By function of the matched target: how its cost moved; unspecified kind if it did not.
using CostShifts = std::vector<v1::Shift>;

// Whether its kind changes which functions are called: INLINED, OUTLINED, SPLIT.
inline bool MovesCalls(const v1::Shift& shift) {
  return shift.kind() == v1::Shift::INLINED || shift.kind() == v1::Shift::OUTLINED ||
         shift.kind() == v1::Shift::SPLIT;
}

}  // namespace gprofhub::reporter
