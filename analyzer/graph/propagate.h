// Propagation of time from callees to callers.
#pragma once

#include "analyzer/graph/call_graph.h"

namespace gprofhub::analyzer {

// Fills the times of every node and arc. Needs Finish().
// Linear in nodes and arcs.
void Propagate(CallGraph& graph);

}  // namespace gprofhub::analyzer
