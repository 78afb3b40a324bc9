#include "reporter/shifts/known_shifts.h"

#include <algorithm>

namespace gprofhub::reporter {

KnownShifts::KnownShifts(const MatchedTarget& target)
    : pattern(target),
      groups(target.functions.size()),
      moved(target.functions.size()),
      shifts(target.functions.size()) {}

bool KnownShifts::Inlines(uint32_t into, uint32_t callee, bool at_head) const {
  const FunctionPair& pair = pattern.Function(into);
  const std::vector<uint32_t>& inlined = (at_head ? pair.after : pair.before).inlined;
  return std::binary_search(inlined.begin(), inlined.end(), callee);
}

bool KnownShifts::InlinedInto(uint32_t group, uint32_t callee, bool at_head) const {
  const absl::Span<const uint32_t> members = groups.Members(group);
  return std::any_of(members.begin(), members.end(),
                     [&](uint32_t member) { return Inlines(member, callee, at_head); });
}

bool KnownShifts::InlinedOtherwise(uint32_t group, uint32_t callee, bool at_head) const {
  return InlinedInto(group, callee, at_head) && !InlinedInto(group, callee, !at_head);
}

bool KnownShifts::NoSlower(const std::vector<uint32_t>& functions) const {
  if (pattern.NoSlower(functions)) return true;
  std::vector<uint32_t> groups_of;
  for (const uint32_t i : functions) groups_of.push_back(moved.GroupOf(i));
  std::sort(groups_of.begin(), groups_of.end());
  groups_of.erase(std::unique(groups_of.begin(), groups_of.end()), groups_of.end());
  std::vector<uint32_t> all;
  for (const uint32_t group : groups_of) {
    all.insert(all.end(), moved.Members(group).begin(), moved.Members(group).end());
  }
  return pattern.MakeUpFor(functions, all);
}

void KnownShifts::Note(uint32_t function, v1::Shift::Kind kind, const std::vector<uint32_t>& with) {
  const FunctionPair& pair = pattern.Function(function);
  v1::Shift& shift = shifts[function];
  shift.Clear();
  shift.set_kind(kind);
  for (const uint32_t other : with) {
    shift.add_with(std::string(pattern.Function(other).name));
    moved.Join(function, other);
    if (pair.before.present() != pair.after.present()) groups.Join(function, other);
  }
}

}  // namespace gprofhub::reporter
