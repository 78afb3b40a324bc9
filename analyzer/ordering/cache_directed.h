// Function ordering by cache-directed sort.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/ordering/chain_pairs.h"
#include "analyzer/ordering/ordering_graph.h"

namespace gprofhub::analyzer {

struct ChainOptions {
  // Compare merges by their gain per byte of the smaller chain rather than by
  // their gain.
  bool gain_per_byte = false;
};

// Chains of nodes that should stand side by side, each node in one of them;
// ascending by each chain's first-numbered founder. Depends on the values alone.
std::vector<std::vector<uint32_t>> CacheDirectedChains(const std::vector<ChainNode>& nodes,
                                                       const std::vector<ChainArc>& arcs,
                                                       const ChainOptions& options);

// Every function of the graph once, in the order in which to link them: chains
// over the arcs' counts, by falling density.
std::vector<uint32_t> OrderCacheDirected(const OrderingGraph& graph);

}  // namespace gprofhub::analyzer
