#include "reporter/shifts/function_groups.h"

#include <utility>

namespace gprofhub::reporter {

FunctionGroups::FunctionGroups(size_t functions) {
  group_of_.reserve(functions);
  members_.reserve(functions);
  for (uint32_t i = 0; i < functions; ++i) {
    group_of_.push_back(i);
    members_.push_back({i});
  }
}

void FunctionGroups::Join(uint32_t a, uint32_t b) {
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
