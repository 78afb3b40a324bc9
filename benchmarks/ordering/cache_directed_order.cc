#include "analyzer/ordering/function_order.h"
#include "benchmarks/ordering/compared_orders.h"

namespace gprofhub::benchmarks {

std::vector<uint32_t> OrderCacheDirected(const analyzer::OrderingGraph& graph) {
  std::vector<analyzer::ChainNode> nodes(graph.functions.size());
  std::vector<analyzer::ChainArc> arcs;
  arcs.reserve(graph.arcs.size());
  for (const analyzer::OrderingArc& arc : graph.arcs) {
    const double count = static_cast<double>(arc.count);
    arcs.push_back({arc.caller, arc.callee, arc.site, count});
    nodes[arc.callee].weight += count;
  }
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i].size = graph.functions[i].size;
  return analyzer::InOrderOfDensity(
      nodes, analyzer::CacheDirectedChains(nodes, arcs, {.gain_per_byte = false}));
}

}  // namespace gprofhub::benchmarks
