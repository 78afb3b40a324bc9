// Call-chain clustering, C3 (Ottoni, Maher: "Optimizing Function Placement for
// Large-Scale Data-Center Applications", CGO 2017).
//
// Instructions are fetched by page (through the iTLB) and by line, so a call is cheapest if its
// callee is placed shortly behind its caller. C3 starts with every function in a cluster of its
// own. It takes the functions from the most to the least called, and appends the function's cluster
// to that of its most frequent caller, if
//   - that is another cluster;
//   - the function is the first of its cluster; otherwise another function would follow the caller;
//   - the two together fit a page. Beyond a page, proximity saves nothing, and a longer chain would
//     add rarely used code to the used pages.
// At the end the clusters are laid out by falling density, calls per byte: pages near the front are
// fully used, and the tail is never read.
//
// The weights are call counts, not samples. In CI's short runs most functions have no sample.
// Counts are reproducible, and so is the ordering. Ties go to the lower row.
#include <algorithm>
#include <numeric>

#include "benchmarks/ordering/compared_orders.h"

namespace gprofhub::benchmarks {
namespace {

using analyzer::OrderingCalls;
using analyzer::OrderingGraph;

constexpr uint64_t kPageBytes = 4096;
constexpr uint32_t kNone = UINT32_MAX;

struct Cluster {
  std::vector<uint32_t> functions;
  uint64_t size = 0;  // bytes
  double calls = 0;
};

// By function: the caller with the most calls of it, the first of several; kNone
// without one.
std::vector<uint32_t> HeaviestCallers(const OrderingGraph& graph) {
  std::vector<uint32_t> callers(graph.functions.size(), kNone);
  std::vector<uint64_t> most(graph.functions.size(), 0);
  for (const OrderingCalls& calls : CallsByPair(graph)) {
    if (calls.count <= most[calls.callee]) continue;
    most[calls.callee] = calls.count;
    callers[calls.callee] = calls.caller;
  }
  return callers;
}

double Density(const Cluster& cluster) {
  return cluster.calls / static_cast<double>(std::max<uint64_t>(cluster.size, 1));
}

}  // namespace

std::vector<uint32_t> OrderC3(const OrderingGraph& graph) {
  const size_t count = graph.functions.size();
  const std::vector<uint32_t> callers = HeaviestCallers(graph);
  std::vector<Cluster> clusters(count);
  std::vector<uint32_t> cluster_of(count);
  for (uint32_t i = 0; i < count; ++i) {
    clusters[i] = {{i}, graph.functions[i].size, static_cast<double>(graph.functions[i].calls)};
    cluster_of[i] = i;
  }

  std::vector<uint32_t> by_calls(count);
  std::iota(by_calls.begin(), by_calls.end(), 0);
  std::stable_sort(by_calls.begin(), by_calls.end(), [&](uint32_t a, uint32_t b) {
    return graph.functions[a].calls > graph.functions[b].calls;
  });
  for (const uint32_t function : by_calls) {
    if (callers[function] == kNone) continue;
    const uint32_t from = cluster_of[function];
    const uint32_t to = cluster_of[callers[function]];
    Cluster& source = clusters[from];
    Cluster& target = clusters[to];
    if (from == to || source.functions.front() != function) continue;
    if (source.size > kPageBytes || target.size > kPageBytes - source.size) continue;
    for (const uint32_t moved : source.functions) cluster_of[moved] = to;
    target.functions.insert(target.functions.end(), source.functions.begin(),
                            source.functions.end());
    target.size += source.size;
    target.calls += source.calls;
    source = {};
  }

  std::vector<uint32_t> by_density;
  for (uint32_t i = 0; i < count; ++i) {
    if (!clusters[i].functions.empty()) by_density.push_back(i);
  }
  std::stable_sort(by_density.begin(), by_density.end(), [&](uint32_t a, uint32_t b) {
    return Density(clusters[a]) > Density(clusters[b]);
  });
  std::vector<uint32_t> order;
  order.reserve(count);
  for (const uint32_t cluster : by_density) {
    order.insert(order.end(), clusters[cluster].functions.begin(),
                 clusters[cluster].functions.end());
  }
  return order;
}

}  // namespace gprofhub::benchmarks
