#include "analyzer/ordering/density_order.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace gprofhub::analyzer {

std::vector<uint32_t> InOrderOfDensity(const std::vector<ChainNode>& nodes,
                                       const std::vector<std::vector<uint32_t>>& chains) {
  std::vector<double> density(chains.size());
  for (size_t i = 0; i < chains.size(); ++i) {
    double weight = 0;
    double size = 1;
    for (const uint32_t node : chains[i]) {
      weight += nodes[node].weight;
      size += static_cast<double>(nodes[node].size);
    }
    density[i] = weight / size;
  }
  std::vector<uint32_t> sequence(chains.size());
  std::iota(sequence.begin(), sequence.end(), 0);
  std::stable_sort(sequence.begin(), sequence.end(), [&](uint32_t a, uint32_t b) {
    const uint32_t group_a = nodes[chains[a].front()].group;
    const uint32_t group_b = nodes[chains[b].front()].group;
    return group_a != group_b ? group_a < group_b : density[a] > density[b];
  });
  std::vector<uint32_t> order;
  order.reserve(nodes.size());
  for (const uint32_t chain : sequence) {
    order.insert(order.end(), chains[chain].begin(), chains[chain].end());
  }
  return order;
}

}  // namespace gprofhub::analyzer
