// Function ordering for few pages and few TLB misses at once: gprofhub's own.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/ordering/ordering_graph.h"

namespace gprofhub::analyzer {

// Every function of the graph once, in the order in which to link them. Depends
// on the graph's values alone.
std::vector<uint32_t> OrderByCoverage(const OrderingGraph& graph);

}  // namespace gprofhub::analyzer
