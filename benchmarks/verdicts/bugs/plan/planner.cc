#include "planner.h"

#include <algorithm>

bool Planner::IsStale(const TargetPtr& target) {
  const auto found = stale_.find(target.get());
  if (found != stale_.end()) return found->second;
  bool is_stale = false;
  for (const TargetPtr& input : target->inputs) {
    if (IsStale(input) || input->changed > target->changed) is_stale = true;
  }
  stale_.emplace(target.get(), is_stale);
  return is_stale;
}

void Planner::Visit(const TargetPtr& target) {
  if (target->mark == visit_) return;
  target->mark = visit_;
  for (const TargetPtr& input : target->inputs) Visit(input);
  order_.push_back(target);
}

std::vector<std::string> Planner::Plan(const std::string& pattern) {
  ++visit_;
  stale_.clear();
  order_.clear();
  order_.reserve(graph_.targets().size());
  for (const TargetPtr& target : graph_.targets()) {
    if (Matches(pattern.c_str(), target->name.c_str())) Visit(target);
  }
  std::vector<std::string> commands;
  for (const TargetPtr& target : order_) {
    if (!target->command.empty() && IsStale(target))
      commands.push_back(Expanded(target->command, variables_));
  }
  return commands;
}
