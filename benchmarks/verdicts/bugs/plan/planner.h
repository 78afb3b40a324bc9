#pragma once

#include <string>
#include <vector>

#include "graph.h"

// The order in which targets are built, and their commands.
class Planner {
 public:
  Planner(const Graph& graph, Variables variables)
      : graph_(graph), variables_(std::move(variables)) {}
  std::vector<std::string> Plan(const std::string& pattern);

 private:
  bool IsStale(const TargetPtr& target);
  void Visit(const TargetPtr& target);
  const Graph& graph_;
  Variables variables_;
  std::unordered_map<const Target*, bool> stale_;
  std::vector<TargetPtr> order_;
  int visit_ = 0;
};
