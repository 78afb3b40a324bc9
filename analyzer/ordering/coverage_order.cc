// gprofhub's own ordering: cache-directed chains within tiers by the likelihood that a run needs a
// function.
//
// A page is loaded when the first of its functions runs. So functions that will run should share
// pages, separate from functions that will not. Call counts do not distinguish the two: a parser's
// error path and its setup are both called once. The training runs do: a function that ran in three
// quarters of them will run in the next one, mostly at its start, which runs have in common. The
// tiers, first to last:
//
//   1. functions that ran in at least 3/4 of the runs (by weight),
//   2. those that ran in fewer, but in two or more,
//   3. those that ran in a single run, run by run: first the runs with the least code of their own.
//      Such a run is an ordinary one with an uncommon case, which other runs will have, too. A run
//      with much code of its own exercised a feature that other runs do not use.
//
// Within a tier (in the third: a run) functions are chained by cache-directed sort
// (cache_directed.cc), by gains per byte. Calls between tiers are ignored. Chains are ordered by
// falling density. A chain's weight is the sum of each run's count^0.8 (OrderingArc::pull). With
// plain counts, loops of single runs would dominate the layout of all. With logarithms, inner loops
// would not stay together. With one run, or if all runs ran the same functions, the result is that
// of cache-directed sort.
//
// docs/benchmarks/ordering.md has the figures and the rejected alternatives.
#include "analyzer/ordering/coverage_order.h"

#include <algorithm>
#include <numeric>

#include "analyzer/ordering/cache_directed.h"
#include "analyzer/ordering/density_order.h"

namespace gprofhub::analyzer {
namespace {

constexpr double kCommonShare = 0.75;
constexpr uint32_t kCommon = 0;
constexpr uint32_t kSome = 1;
constexpr uint32_t kSingle = 2;  // and on: the tiers of single runs

// By function.
std::vector<uint32_t> Tiers(const OrderingGraph& graph) {
  const double common = kCommonShare * graph.weight;
  const auto is_single = [&](const OrderingFunction& function) {
    return function.weight < common && function.runs < 2;
  };
  std::vector<uint64_t> own_code(graph.runs, 0);
  for (const OrderingFunction& function : graph.functions) {
    if (is_single(function)) own_code[function.last_run] += function.size;
  }
  std::vector<uint32_t> runs(graph.runs);
  std::iota(runs.begin(), runs.end(), 0);
  std::stable_sort(runs.begin(), runs.end(),
                   [&](uint32_t a, uint32_t b) { return own_code[a] < own_code[b]; });
  std::vector<uint32_t> place(graph.runs);
  for (uint32_t i = 0; i < runs.size(); ++i) place[runs[i]] = i;

  std::vector<uint32_t> tiers;
  tiers.reserve(graph.functions.size());
  for (const OrderingFunction& function : graph.functions) {
    if (function.weight >= common) {
      tiers.push_back(kCommon);
    } else {
      tiers.push_back(is_single(function) ? kSingle + place[function.last_run] : kSome);
    }
  }
  return tiers;
}

}  // namespace

std::vector<uint32_t> OrderByCoverage(const OrderingGraph& graph) {
  const std::vector<uint32_t> tiers = Tiers(graph);
  std::vector<ChainNode> nodes(graph.functions.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes[i] = {graph.functions[i].size, graph.functions[i].pull, tiers[i]};
  }
  std::vector<ChainArc> arcs;
  arcs.reserve(graph.arcs.size());
  for (const OrderingArc& arc : graph.arcs) {
    arcs.push_back({arc.caller, arc.callee, arc.site, arc.pull});
  }
  return InOrderOfDensity(nodes, CacheDirectedChains(nodes, arcs, ChainOptions()));
}

}  // namespace gprofhub::analyzer
