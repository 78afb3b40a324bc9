// Cycles of the call graph: functions that call each other, directly or not.
#pragma once

#include "analyzer/call_graph.h"

namespace gprofhub {

// Finds the strongly connected components of two or more functions, numbers
// them from 1, appends a node for each, and fills cycles and callees_first.
// A function that only calls itself is no cycle. Linear in nodes and arcs.
void FindCycles(CallGraph& graph);

}  // namespace gprofhub
