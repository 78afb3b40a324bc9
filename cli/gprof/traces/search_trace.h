// Level 2: the depth-first search for cycles.
#pragma once

#include <string>
#include <vector>

#include "analyzer/graph/call_graph.h"
#include "analyzer/listing/input.h"

namespace gprofhub::cli {

// What stands behind a function's name at levels 2 and 1024: its number in the order of the
// search (0: not visited, -1: being visited), and the share of its time that is counted.
std::string NameEnd(int order, double fraction, unsigned levels);

// `names` are by function.
void TraceSearch(const analyzer::CallGraph& graph, const analyzer::PrintedNames& names,
                 unsigned levels, std::string& out);

}  // namespace gprofhub::cli
