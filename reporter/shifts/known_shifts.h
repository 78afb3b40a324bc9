// Shifts found so far: one explains others.
#pragma once

#include <cstdint>
#include <vector>

#include "reporter/matching/matched_target.h"
#include "reporter/shifts/call_pattern.h"
#include "reporter/shifts/function_groups.h"
#include "reporter/shifts/moved_calls.h"

namespace gprofhub::reporter {

struct KnownShifts {
  // Keeps a reference to the target.
  explicit KnownShifts(const MatchedTarget& target);

  // Whether the function's calls are known to have moved.
  bool Moves(uint32_t function) const { return MovesCalls(shifts[function]); }

  // Whether calls of `callee` were inlined into `into`, or into a member of its group, on a side.
  bool Inlines(uint32_t into, uint32_t callee, bool at_head) const;
  bool InlinedInto(uint32_t group, uint32_t callee, bool at_head) const;
  // Whether the group inlines it on this side, and not on the other.
  bool InlinedOtherwise(uint32_t group, uint32_t callee, bool at_head) const;

  // Whether the functions together did not become slower, or otherwise all functions among which
  // work moved.
  bool NoSlower(const std::vector<uint32_t>& functions) const;

  void Note(uint32_t function, v1::Shift::Kind kind, const std::vector<uint32_t>& with);

  CallPattern pattern;
  // A function of one side only shares the work of the functions that it moved from or to: calls
  // from any of them are the group's.
  FunctionGroups groups;
  // Functions among which calls moved.
  FunctionGroups moved;
  CostShifts shifts;
};

}  // namespace gprofhub::reporter
