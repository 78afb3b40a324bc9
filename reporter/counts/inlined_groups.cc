#include "reporter/counts/inlined_groups.h"

#include <algorithm>
#include <utility>

#include "profile/names/name_hash.h"

namespace gprofhub::reporter {

InlinedGroups::InlinedGroups(const MatchedTarget& target) : target_(target) {
  for (uint32_t i = 0; i < target.functions.size(); ++i) {
    const FunctionPair& function = target.functions[i];
    name_after_.push_back(profile::NameHash(function.name));
    name_before_.push_back(function.renamed_from.empty()
                               ? name_after_.back()
                               : profile::NameHash(function.renamed_from));
    group_of_.push_back(i);
    members_.push_back({i});
  }
}

bool InlinedGroups::Inlines(uint32_t into, uint32_t callee, bool at_head) const {
  const FunctionPair& function = target_.functions[into];
  const std::vector<uint32_t>& names = (at_head ? function.after : function.before).inlined;
  const uint32_t name = at_head ? name_after_[callee] : name_before_[callee];
  return std::binary_search(names.begin(), names.end(), name);
}

bool InlinedGroups::InlinedOtherwise(uint32_t group, uint32_t callee, bool at_head) const {
  if (!known()) return false;
  bool at_fewer = false;
  for (const uint32_t member : members_[group]) {
    if (Inlines(member, callee, !at_head)) return false;
    at_fewer = at_fewer || Inlines(member, callee, at_head);
  }
  return at_fewer;
}

void InlinedGroups::Join(uint32_t a, uint32_t b) {
  uint32_t into = group_of_[a], from = group_of_[b];
  if (into == from) return;
  if (members_[into].size() < members_[from].size()) std::swap(into, from);
  for (const uint32_t member : members_[from]) {
    group_of_[member] = into;
    members_[into].push_back(member);
  }
  members_[from].clear();
}

}  // namespace gprofhub::reporter
