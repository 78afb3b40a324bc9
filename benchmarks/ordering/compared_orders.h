// Published function orderings that the product does not offer, as references for its own.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/ordering/ordering_graph.h"

namespace gprofhub::benchmarks {

// Each returns every function of the graph once, in the order in which to link them. The result
// depends on the graph's values alone.

// Call-chain clustering (c3.cc). O(arcs log arcs).
std::vector<uint32_t> OrderC3(const analyzer::OrderingGraph& graph);

// Cache-directed sort as published (analyzer/ordering/function_order.cc): chains over the arcs'
// counts, by falling density.
std::vector<uint32_t> OrderCacheDirected(const analyzer::OrderingGraph& graph);

}  // namespace gprofhub::benchmarks
