#include "analyzer/ordering/chain_pairs.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace gprofhub::analyzer {
namespace {

// The two ends of an arc, the lower one in the upper bits; then the arc.
using PairedArc = std::pair<uint64_t, uint32_t>;

uint32_t Low(uint64_t ends) { return static_cast<uint32_t>(ends >> 32); }
uint32_t High(uint64_t ends) { return static_cast<uint32_t>(ends); }

// `order` ascends.
void ReservePairs(const std::vector<PairedArc>& order, ChainPairs& chains) {
  std::vector<uint32_t> counts(chains.of_chain.size(), 0);
  size_t pairs = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && order[i].first == order[i - 1].first) continue;
    ++pairs;
    ++counts[Low(order[i].first)];
    ++counts[High(order[i].first)];
  }
  chains.pairs.reserve(pairs);
  for (size_t i = 0; i < counts.size(); ++i) chains.of_chain[i].reserve(counts[i]);
}

}  // namespace

ChainPairs PairChains(const std::vector<ChainNode>& nodes, const std::vector<ChainArc>& arcs) {
  ChainPairs chains;
  chains.of_chain.resize(nodes.size());
  std::vector<PairedArc> order;
  order.reserve(arcs.size());
  for (uint32_t i = 0; i < arcs.size(); ++i) {
    const ChainArc& arc = arcs[i];
    if (arc.from == arc.to || !(arc.weight > 0) || nodes[arc.from].group != nodes[arc.to].group) {
      continue;
    }
    const auto [low, high] = std::minmax(arc.from, arc.to);
    order.emplace_back(uint64_t{low} << 32 | high, i);
  }
  std::sort(order.begin(), order.end());
  ReservePairs(order, chains);
  chains.arcs.reserve(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const uint32_t at = static_cast<uint32_t>(i);
    const uint64_t ends = order[i].first;
    if (i == 0 || ends != order[i - 1].first) {
      const uint32_t index = static_cast<uint32_t>(chains.pairs.size());
      ChainPairs::Pair& pair = chains.pairs.emplace_back();
      pair.first = Low(ends);
      pair.second = High(ends);
      pair.first_arc = at;
      chains.of_chain[pair.first].push_back({index, pair.second});
      chains.of_chain[pair.second].push_back({index, pair.first});
    } else {
      chains.arcs.back().next = at;
    }
    chains.pairs.back().last_arc = at;
    const ChainArc& arc = arcs[order[i].second];
    chains.arcs.push_back({arc.from, arc.to, arc.site, kNoArc, arc.weight});
  }
  return chains;
}

}  // namespace gprofhub::analyzer
