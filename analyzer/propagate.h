// Time handed from callees to callers.
#pragma once

#include "analyzer/call_graph.h"

namespace gprofhub {

// Fills the times of every node and arc. Needs Finish().
// Linear in nodes and arcs.
void Propagate(CallGraph& graph);

}  // namespace gprofhub
