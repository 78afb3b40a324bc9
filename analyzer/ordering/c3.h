// Function ordering by call-chain clustering (C3).
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/ordering/ordering_graph.h"

namespace gprofhub::analyzer {

// Every function of the graph once, in the order in which to link them.
// Depends on the graph's values alone. O(arcs log arcs).
std::vector<uint32_t> OrderC3(const OrderingGraph& graph);

}  // namespace gprofhub::analyzer
