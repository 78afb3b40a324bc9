// Which chain of functions stands where.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/ordering/chain_pairs.h"

namespace gprofhub::analyzer {

// The nodes of all chains, chain by chain. Chains stand by ascending group, then by falling
// density (entries per byte). Those that are equal in both keep their order.
std::vector<uint32_t> InOrderOfDensity(const std::vector<ChainNode>& nodes,
                                       const std::vector<std::vector<uint32_t>>& chains);

}  // namespace gprofhub::analyzer
