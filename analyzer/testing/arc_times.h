// The times that the arcs of a call graph propagate, for tests.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/graph/call_graph.h"

namespace gprofhub::analyzer {

// nullopt if the arc does not exist.
inline std::optional<ArcTime> TimeBetween(const CallGraph& graph, uint32_t caller,
                                          uint32_t callee) {
  for (uint32_t arc = 0; arc < graph.arcs.size(); ++arc) {
    if (graph.arcs[arc].caller == caller && graph.arcs[arc].callee == callee) {
      return graph.TimeOf(arc);
    }
  }
  return std::nullopt;
}

}  // namespace gprofhub::analyzer
