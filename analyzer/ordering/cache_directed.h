// Function ordering by cache-directed sort.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/ordering/chain_pairs.h"

namespace gprofhub::analyzer {

struct ChainOptions {
  // Merges are compared by their gain per byte of the smaller chain. False: by their gain, as
  // published, which only benchmarks/ordering uses.
  bool gain_per_byte = true;
};

// Chains of nodes that should be adjacent, each node in one of them; ascending by each chain's
// first-numbered founder. Depends on the values alone.
std::vector<std::vector<uint32_t>> CacheDirectedChains(const std::vector<ChainNode>& nodes,
                                                       const std::vector<ChainArc>& arcs,
                                                       const ChainOptions& options);

}  // namespace gprofhub::analyzer
