// Cache-directed sort (Hoag, Lee, Mestre, Pupyrev: "Optimizing Function Layout
// for Mobile Applications", LCTES 2023; its forerunner is the sort of Ottoni and
// Maher, see c3.cc). Two things make fetching instructions cheap: that a call
// does not lead far, and that what is often used stands together and so stays in
// the caches. A merge of two chains of functions is worth the sum of both:
//
//   distance: each call between the chains is worth weight / distance^¼, with the
//     distance in bytes from the call site to the callee's entry as it would be
//     after the merge. The faster a call's distance shrinks the more it gains, and
//     distances within the chains do not change.
//   frequency: a chain of density d (entries per byte) out of a total of w is taken
//     to be evicted with probability (1 - 2048·d/w)^16: sixteen others were fetched
//     since, none of them this one. What the merge takes off the expected misses is
//     its gain; putting cold code between hot costs.
//
// Every function begins as a chain of its own. The merge with the greatest gain is
// done, in the better of its two directions, until none gains. A chain stops at 128
// functions: beyond that it spans many pages, and what is near its ends is not near
// each other.
//
// Gains per byte of the smaller chain (ChainOptions) put small chains where they
// belong first; docs/benchmarks.md has what that gains.
//
// Merges wait in a list, sorted once, and those valued again in a heap: it stays
// small. As the chains grow, a merge mostly gains less than when it was entered: it
// is valued again when it comes up, and only then. Where two pairs
// of chains become one their gains add up, and it is entered anew at once. Arcs are
// kept in lists by pair of chains, joined as the chains are.
#include "analyzer/ordering/cache_directed.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace gprofhub {
namespace {

constexpr double kCacheBytes = 2048;
constexpr size_t kMostNodes = 128;
constexpr uint32_t kNone = UINT32_MAX;

double InverseFourthRoot(double distance) {
  return 1 / std::sqrt(std::sqrt(std::max(distance, 1.0)));
}

class Merger {
 public:
  Merger(const std::vector<ChainNode>& nodes, const std::vector<ChainArc>& arcs,
         const ChainOptions& options)
      : arcs_(arcs), options_(options), chains_(nodes.size()), places_(nodes.size()) {
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      chains_[i].nodes = {i};
      chains_[i].size = static_cast<double>(std::max<uint64_t>(nodes[i].size, 1));
      chains_[i].weight = nodes[i].weight;
      places_[i].chain = i;
      total_ += nodes[i].weight;
    }
    MakePairs(nodes);
  }

  std::vector<std::vector<uint32_t>> Run() {
    for (uint32_t i = 0; i < pairs_.size(); ++i) {
      const double gain = Value(i);
      if (gain > 0) sorted_.push_back({gain, i, pairs_[i].version});
    }
    std::sort(sorted_.begin(), sorted_.end());
    while (!sorted_.empty() || !heap_.empty()) {
      const Candidate best = TakeBest();
      if (pairs_[best.pair].version != best.version) continue;
      if (IsStale(pairs_[best.pair])) {
        EnterAgain(best.pair);
      } else {
        Merge(best.pair);
      }
    }
    std::vector<std::vector<uint32_t>> result;
    for (Chain& chain : chains_) {
      if (!chain.nodes.empty()) result.push_back(std::move(chain.nodes));
    }
    return result;
  }

 private:
  struct Chain {
    std::vector<uint32_t> nodes;
    double size = 0;
    double weight = 0;
    std::vector<uint32_t> pairs;  // may hold dead ones
  };
  // Of a node: its chain, and the bytes before it there.
  struct Place {
    uint32_t chain = 0;
    double offset = 0;
  };
  // Two chains with arcs between them.
  struct Pair {
    uint32_t first = 0;
    uint32_t second = 0;
    uint32_t first_arc = kNone;  // of a list through next_arc_
    uint32_t last_arc = kNone;
    uint32_t version = 0;  // kNone: dead
    uint32_t nodes = 0;    // of both chains when it was valued
    bool first_leads = true;
  };
  struct Candidate {
    double gain;
    uint32_t pair;
    uint32_t version;
    bool operator<(const Candidate& other) const {
      return gain != other.gain ? gain < other.gain : pair > other.pair;
    }
  };

  void MakePairs(const std::vector<ChainNode>& nodes) {
    // By the two ends' numbers, the lower first; then by place among the arcs.
    std::vector<std::pair<uint64_t, uint32_t>> order;
    order.reserve(arcs_.size());
    for (uint32_t i = 0; i < arcs_.size(); ++i) {
      const ChainArc& arc = arcs_[i];
      if (arc.from == arc.to || !(arc.weight > 0) ||
          nodes[arc.from].group != nodes[arc.to].group) {
        continue;
      }
      const auto [low, high] = std::minmax(arc.from, arc.to);
      order.emplace_back(uint64_t{low} << 32 | high, i);
    }
    std::sort(order.begin(), order.end());
    uint64_t ends = 0;
    for (const auto& [key, arc] : order) {
      if (pairs_.empty() || key != ends) {
        ends = key;
        const uint32_t index = static_cast<uint32_t>(pairs_.size());
        pairs_.emplace_back();
        pairs_.back().first = static_cast<uint32_t>(key >> 32);
        pairs_.back().second = static_cast<uint32_t>(key);
        pairs_.back().first_arc = arc;
        chains_[pairs_.back().first].pairs.push_back(index);
        chains_[pairs_.back().second].pairs.push_back(index);
      } else {
        next_arc_[pairs_.back().last_arc] = arc;
      }
      pairs_.back().last_arc = arc;
    }
  }

  // Expected misses of a chain's entries.
  double Misses(double weight, double size) const {
    const double cached = weight / size * kCacheBytes;
    if (cached >= total_) return 0;
    double other = 1 - cached / total_;
    for (int i = 0; i < 4; ++i) other *= other;  // the 16th power
    return weight * other;
  }

  bool IsStale(const Pair& pair) const {
    return pair.nodes != chains_[pair.first].nodes.size() + chains_[pair.second].nodes.size();
  }

  Candidate TakeBest() {
    Candidate best;
    if (heap_.empty() || (!sorted_.empty() && heap_.front() < sorted_.back())) {
      best = sorted_.back();
      sorted_.pop_back();
    } else {
      std::pop_heap(heap_.begin(), heap_.end());
      best = heap_.back();
      heap_.pop_back();
    }
    return best;
  }

  // What the pair's merge gains; not above 0 if it is not to be done.
  double Value(uint32_t index) {
    Pair& pair = pairs_[index];
    const Chain& first = chains_[pair.first];
    const Chain& second = chains_[pair.second];
    if (first.nodes.size() + second.nodes.size() > kMostNodes) {
      pair.version = kNone;
      return 0;
    }
    ++pair.version;
    pair.nodes = static_cast<uint32_t>(first.nodes.size() + second.nodes.size());
    double first_leads = 0;
    double second_leads = 0;
    for (uint32_t i = pair.first_arc; i != kNone; i = next_arc_[i]) {
      const ChainArc& arc = arcs_[i];
      const bool out_of_first = places_[arc.from].chain == pair.first;
      const double site = places_[arc.from].offset + arc.site;
      const double entry = places_[arc.to].offset;
      const double in_first = out_of_first ? site : entry;
      const double in_second = out_of_first ? entry : site;
      first_leads += arc.weight * InverseFourthRoot(std::abs(first.size + in_second - in_first));
      second_leads += arc.weight * InverseFourthRoot(std::abs(second.size + in_first - in_second));
    }
    const double saved = Misses(first.weight, first.size) + Misses(second.weight, second.size) -
                         Misses(first.weight + second.weight, first.size + second.size);
    pair.first_leads = first_leads >= second_leads;
    double gain = saved + std::max(first_leads, second_leads);
    if (options_.gain_per_byte) gain /= std::min(first.size, second.size);
    return gain;
  }

  void EnterAgain(uint32_t index) {
    const double gain = Value(index);
    if (!(gain > 0)) return;
    heap_.push_back({gain, index, pairs_[index].version});
    std::push_heap(heap_.begin(), heap_.end());
  }

  void Merge(uint32_t index) {
    const Pair& pair = pairs_[index];
    const uint32_t leader = pair.first_leads ? pair.first : pair.second;
    const uint32_t follower = pair.first_leads ? pair.second : pair.first;
    pairs_[index].version = kNone;
    Chain& kept = chains_[leader];
    Chain& gone = chains_[follower];
    for (const uint32_t node : gone.nodes) {
      places_[node].chain = leader;
      places_[node].offset += kept.size;
    }
    kept.nodes.insert(kept.nodes.end(), gone.nodes.begin(), gone.nodes.end());
    kept.size += gone.size;
    kept.weight += gone.weight;
    JoinPairs(leader, follower);
  }

  // Hands the pairs of `gone` to `kept`; where both have one with the same chain,
  // the two become one, which gains more than either.
  void JoinPairs(uint32_t kept, uint32_t gone) {
    std::vector<uint32_t> pairs;
    std::vector<uint32_t> grown;
    for (const uint32_t i : chains_[kept].pairs) {
      const Pair& pair = pairs_[i];
      if (pair.version == kNone) continue;
      pair_with_[pair.first == kept ? pair.second : pair.first] = i;
      pairs.push_back(i);
    }
    const size_t old = pairs.size();
    for (const uint32_t i : chains_[gone].pairs) {
      Pair& moved = pairs_[i];
      if (moved.version == kNone) continue;
      const uint32_t known = pair_with_[moved.first == gone ? moved.second : moved.first];
      if (known == kNone) {
        (moved.first == gone ? moved.first : moved.second) = kept;
        pairs.push_back(i);
      } else {
        next_arc_[pairs_[known].last_arc] = moved.first_arc;
        pairs_[known].last_arc = moved.last_arc;
        moved.version = kNone;
        grown.push_back(known);
      }
    }
    for (size_t i = 0; i < old; ++i) {
      const Pair& pair = pairs_[pairs[i]];
      pair_with_[pair.first == kept ? pair.second : pair.first] = kNone;
    }
    chains_[gone] = {};
    chains_[kept].pairs = std::move(pairs);
    for (const uint32_t i : grown) EnterAgain(i);
  }

  const std::vector<ChainArc>& arcs_;
  const ChainOptions options_;
  double total_ = 0;
  std::vector<Chain> chains_;
  std::vector<Place> places_;
  std::vector<Pair> pairs_;
  std::vector<uint32_t> next_arc_ = std::vector<uint32_t>(arcs_.size(), kNone);
  std::vector<Candidate> sorted_;  // as first valued, the best last
  std::vector<Candidate> heap_;    // entered again since
  // While pairs are joined, by chain: the kept chain's pair with it.
  std::vector<uint32_t> pair_with_ = std::vector<uint32_t>(chains_.size(), kNone);
};

}  // namespace

std::vector<std::vector<uint32_t>> CacheDirectedChains(const std::vector<ChainNode>& nodes,
                                                       const std::vector<ChainArc>& arcs,
                                                       const ChainOptions& options) {
  return Merger(nodes, arcs, options).Run();
}

std::vector<uint32_t> OrderCacheDirected(const OrderingGraph& graph) {
  std::vector<ChainNode> nodes(graph.functions.size());
  std::vector<ChainArc> arcs;
  arcs.reserve(graph.arcs.size());
  for (const OrderingArc& arc : graph.arcs) {
    const double count = static_cast<double>(arc.count);
    arcs.push_back({arc.caller, arc.callee, arc.site, count});
    nodes[arc.callee].weight += count;
  }
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i].size = graph.functions[i].size;

  std::vector<std::vector<uint32_t>> chains = CacheDirectedChains(nodes, arcs, ChainOptions());
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
  std::vector<uint32_t> by_density(chains.size());
  std::iota(by_density.begin(), by_density.end(), 0);
  std::stable_sort(by_density.begin(), by_density.end(),
                   [&](uint32_t a, uint32_t b) { return density[a] > density[b]; });
  std::vector<uint32_t> order;
  order.reserve(nodes.size());
  for (const uint32_t chain : by_density) {
    order.insert(order.end(), chains[chain].begin(), chains[chain].end());
  }
  return order;
}

}  // namespace gprofhub
