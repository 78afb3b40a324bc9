// Cycles of the call graph: functions that call each other, directly or not.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/graph/call_graph.h"

namespace gprofhub::analyzer {

struct Components {
  // The members of those of two or more functions, in the order in which the search
  // found them. A function that only calls itself is no cycle.
  std::vector<std::vector<uint32_t>> cycles;
  // A function of each component, which for a cycle is the first of its members:
  // callees before callers.
  std::vector<uint32_t> callees_first;
};

// The strongly connected components of the graph, whose arcs must be grouped by caller
// and of which nothing else is read. Linear in functions and arcs.
Components FindComponents(const CallGraph& graph);

}  // namespace gprofhub::analyzer
