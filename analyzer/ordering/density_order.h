// Order of the chains of functions.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/ordering/chain_pairs.h"

namespace gprofhub::analyzer {

// The nodes of all chains, chain by chain. Chains are sorted stably by ascending group, then by
// falling density (entries per byte).
std::vector<uint32_t> InOrderOfDensity(const std::vector<ChainNode>& nodes,
                                       const std::vector<std::vector<uint32_t>>& chains);

}  // namespace gprofhub::analyzer
