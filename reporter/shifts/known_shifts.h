// What is known so far while shifts are looked for: one explains others.
#pragma once

#include <cstdint>
#include <vector>

#include "reporter/matching/matched_target.h"
#include "reporter/shifts/call_pattern.h"
#include "reporter/shifts/function_groups.h"
#include "reporter/shifts/moved_calls.h"

namespace gprofhub::reporter {

struct KnownShifts {
  // The target outlives it.
  explicit KnownShifts(const MatchedTarget& target);

  // Whether the function's calls are known to have moved.
  bool Moves(uint32_t function) const { return MovesCalls(shifts[function]); }

  // Whether calls of `callee` were inlined into `into`, or into one of `group`, at a side.
  bool Inlines(uint32_t into, uint32_t callee, bool at_head) const;
  bool InlinedInto(uint32_t group, uint32_t callee, bool at_head) const;
  // Whether the group inlines it at this side, and not at the other.
  bool InlinedOtherwise(uint32_t group, uint32_t callee, bool at_head) const;

  // Whether the functions together became no slower, or all among which work moved do not.
  bool NoSlower(const std::vector<uint32_t>& functions) const;

  void Note(uint32_t function, v1::Shift::Kind kind, const std::vector<uint32_t>& with);

  CallPattern pattern;
  // A function that one side alone has shares the work of those that it moved from or to: calls
  // from any of them are the group's.
  FunctionGroups groups;
  // Functions among which calls moved.
  FunctionGroups moved;
  CostShifts shifts;
};

}  // namespace gprofhub::reporter
