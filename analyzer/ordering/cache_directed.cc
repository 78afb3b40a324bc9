// Cache-directed sort (Hoag, Lee, Mestre, Pupyrev: "Optimizing Function Layout
// for Mobile Applications", LCTES 2023). Its forerunner is the sort of Ottoni and
// Maher (benchmarks/ordering/c3.cc). Fetching instructions is cheap if calls are short, and if hot
// code is contiguous, so that it stays in the caches. A merge of two chains of functions gains the
// sum of both:
//
//   distance: each call between the chains is worth weight / distance^¼. The distance
//     is that in bytes from the call site to the callee's entry after the merge.
//     Distances within the chains do not change.
//   frequency: let w be the entries of all chains, and d the entries per byte of one.
//     The chain is assumed to be evicted with probability (1 - 2048·d/w)^16: none of the last
//     sixteen fetches was of this chain. The gain of the merge is the decrease of the expected
//     misses. Cold code between hot code is a cost.
//
// Every function begins as a chain of its own. The algorithm repeatedly performs the merge with the
// greatest gain, in the better of its two directions, until no merge has a gain. A chain stops at
// 128 functions: beyond that it spans many pages, and its two ends are far from each other.
//
// If merges are compared by their gains per byte of the smaller chain (ChainOptions), those of
// small chains come first. docs/benchmarks/ordering.md has the effect.
//
// Merges wait in a queue (best_first.h). As the chains grow, the gain of a merge mostly falls after
// it was queued. So the merge is evaluated again when its bucket becomes the current one, and when
// it reaches the front. If two pairs of chains become one, their gains add up, and the pair is
// queued again at once. Arcs are kept in lists by pair of chains (chain_pairs.h). The lists are
// joined when the chains are.
#include "analyzer/ordering/cache_directed.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "analyzer/ordering/best_first.h"
#include "base/fetch_ahead.h"
#include "base/prefetch.h"

namespace gprofhub::analyzer {
namespace {

constexpr double kCacheBytes = 2048;
constexpr uint32_t kMostNodes = 128;
constexpr uint32_t kNone = UINT32_MAX;
constexpr size_t kAhead = 8;  // prefetch distance for scattered memory

double InverseFourthRoot(double distance) {
  return 1 / std::sqrt(std::sqrt(std::max(distance, 1.0)));
}

class Merger {
 public:
  Merger(const std::vector<ChainNode>& nodes, const std::vector<ChainArc>& arcs,
         const ChainOptions& options)
      : options_(options),
        chains_(nodes.size()),
        lengths_(nodes.size(), 1),
        nodes_of_(nodes.size()),
        chain_of_(nodes.size()),
        offsets_(nodes.size(), 0) {
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      nodes_of_[i] = {i};
      chains_[i].size = static_cast<double>(std::max<uint64_t>(nodes[i].size, 1));
      chains_[i].weight = nodes[i].weight;
      chain_of_[i] = i;
      total_ += nodes[i].weight;
    }
    for (Chain& chain : chains_) chain.misses = Misses(chain.weight, chain.size);
    ChainPairs made = PairChains(nodes, arcs);
    pairs_ = std::move(made.pairs);
    arcs_ = std::move(made.arcs);
    pairs_of_ = std::move(made.of_chain);
    is_dead_.resize(pairs_.size(), 0);
  }

  std::vector<std::vector<uint32_t>> Run() {
    base::ForEachFetched(
        0, pairs_.size(), [this](size_t i) { Enter(static_cast<uint32_t>(i)); },
        base::FetchAhead{kAhead, [this](size_t i) { FetchChains(pairs_[i]); }});
    const auto fetch = [this](const Candidate& candidate, size_t distance) {
      if (distance == Queue::kFar) {
        base::Prefetch(&pairs_[candidate.pair]);
        base::Prefetch(&is_dead_[candidate.pair]);
      } else {
        FetchChains(pairs_[candidate.pair]);
      }
    };
    const auto is_over = [this](const Candidate& candidate) { return IsOver(candidate); };
    while (const std::optional<Candidate> best = candidates_.Take(is_over, fetch)) {
      if (!IsOver(*best)) Merge(best->pair);
    }
    std::vector<std::vector<uint32_t>> result;
    for (std::vector<uint32_t>& chain : nodes_of_) {
      if (!chain.empty()) result.push_back(std::move(chain));
    }
    return result;
  }

 private:
  using Neighbour = ChainPairs::Neighbour;
  using Pair = ChainPairs::Pair;
  using Arc = ChainPairs::Arc;

  struct Chain {
    double size = 0;
    double weight = 0;
    double misses = 0;  // expected of its entries
  };
  struct Candidate {
    double gain;
    uint32_t pair;
    uint32_t version;
    bool operator<(const Candidate& other) const {
      return gain != other.gain ? gain < other.gain : pair > other.pair;
    }
  };

  using Queue = BestFirst<Candidate>;

  // Expected misses of a chain's entries.
  double Misses(double weight, double size) const {
    const double cached = weight / size * kCacheBytes;
    if (cached >= total_) return 0;
    double other = 1 - cached / total_;
    for (int i = 0; i < 4; ++i) other *= other;  // the 16th power
    return weight * other;
  }

  // Prefetches the memory that Value reads.
  void FetchChains(const Pair& pair) const {
    base::Prefetch(&arcs_[pair.first_arc]);
    base::Prefetch(&chains_[chain_of_[pair.first]]);
    base::Prefetch(&chains_[chain_of_[pair.second]]);
    base::Prefetch(&offsets_[pair.first]);
    base::Prefetch(&offsets_[pair.second]);
  }

  // Whether the candidate is out of date: its pair is dead, or was queued again. If its chains have
  // grown since it was evaluated, it is queued again now.
  bool IsOver(const Candidate& candidate) {
    const Pair& pair = pairs_[candidate.pair];
    if (is_dead_[candidate.pair] != 0 || pair.version != candidate.version) return true;
    if (pair.nodes == lengths_[chain_of_[pair.first]] + lengths_[chain_of_[pair.second]]) {
      return false;
    }
    Enter(candidate.pair);
    return true;
  }

  // The gain of merging the pair; at most 0 if the merge must not be done.
  double Value(uint32_t index) {
    Pair& pair = pairs_[index];
    const uint32_t first_chain = chain_of_[pair.first];
    const uint32_t second_chain = chain_of_[pair.second];
    const uint32_t length = lengths_[first_chain] + lengths_[second_chain];
    if (length > kMostNodes) {
      is_dead_[index] = 1;
      return 0;
    }
    ++pair.version;
    pair.nodes = length;
    const Chain& first = chains_[first_chain];
    const Chain& second = chains_[second_chain];
    double first_leads = 0;
    double second_leads = 0;
    for (uint32_t i = pair.first_arc; i != kNoArc; i = arcs_[i].next) {
      const Arc& arc = arcs_[i];
      const bool out_of_first = chain_of_[arc.from] == first_chain;
      const double site = offsets_[arc.from] + arc.site;
      const double entry = offsets_[arc.to];
      const double in_first = out_of_first ? site : entry;
      const double in_second = out_of_first ? entry : site;
      first_leads += arc.weight * InverseFourthRoot(std::abs(first.size + in_second - in_first));
      second_leads += arc.weight * InverseFourthRoot(std::abs(second.size + in_first - in_second));
    }
    const double saved = first.misses + second.misses -
                         Misses(first.weight + second.weight, first.size + second.size);
    pair.first_leads = first_leads >= second_leads;
    double gain = saved + std::max(first_leads, second_leads);
    if (options_.gain_per_byte) gain /= std::min(first.size, second.size);
    return gain;
  }

  void Enter(uint32_t index) {
    const double gain = Value(index);
    if (gain > 0) candidates_.Push({gain, index, pairs_[index].version});
  }

  void Merge(uint32_t index) {
    const Pair& pair = pairs_[index];
    const uint32_t leader = chain_of_[pair.first_leads ? pair.first : pair.second];
    const uint32_t follower = chain_of_[pair.first_leads ? pair.second : pair.first];
    is_dead_[index] = 1;
    Chain& kept = chains_[leader];
    const Chain& gone = chains_[follower];
    for (const uint32_t node : nodes_of_[follower]) {
      chain_of_[node] = leader;
      offsets_[node] += kept.size;
    }
    nodes_of_[leader].insert(nodes_of_[leader].end(), nodes_of_[follower].begin(),
                             nodes_of_[follower].end());
    nodes_of_[follower] = {};
    lengths_[leader] = static_cast<uint8_t>(lengths_[leader] + lengths_[follower]);
    kept.size += gone.size;
    kept.weight += gone.weight;
    kept.misses = Misses(kept.weight, kept.size);
    JoinPairs(leader, follower);
  }

  // Moves the pairs of `gone` to `kept`. If both have a pair with the same chain, the two become
  // one, which gains more than either. This is the hot spot: the data that is read per pair is
  // small, so that it stays in the caches.
  void JoinPairs(uint32_t kept, uint32_t gone) {
    std::vector<Neighbour>& pairs = pairs_of_[kept];
    size_t alive = 0;
    for (const Neighbour& neighbour : pairs) {
      if (is_dead_[neighbour.pair] != 0) continue;
      pair_with_[chain_of_[neighbour.founder]] = neighbour.pair;
      pairs[alive++] = neighbour;
    }
    pairs.resize(alive);
    std::vector<uint32_t> grown;
    for (const Neighbour& neighbour : pairs_of_[gone]) {
      if (is_dead_[neighbour.pair] != 0) continue;
      const uint32_t known = pair_with_[chain_of_[neighbour.founder]];
      if (known == kNone) {
        pairs.push_back(neighbour);
      } else {
        const Pair& moved = pairs_[neighbour.pair];
        base::Prefetch(&arcs_[moved.first_arc]);
        base::Prefetch(&arcs_[pairs_[known].first_arc]);
        arcs_[pairs_[known].last_arc].next = moved.first_arc;
        pairs_[known].last_arc = moved.last_arc;
        is_dead_[neighbour.pair] = 1;
        grown.push_back(known);
      }
    }
    for (size_t i = 0; i < alive; ++i) pair_with_[chain_of_[pairs[i].founder]] = kNone;
    pairs_of_[gone] = {};
    base::ForEachFetched(
        0, grown.size(), [&](size_t i) { Enter(grown[i]); },
        base::FetchAhead{kAhead, [&](size_t i) { FetchChains(pairs_[grown[i]]); }});
  }

  const ChainOptions options_;
  double total_ = 0;
  // By chain. Merged chains have no nodes.
  std::vector<Chain> chains_;
  std::vector<uint8_t> lengths_;  // in nodes
  std::vector<std::vector<uint32_t>> nodes_of_;
  std::vector<std::vector<Neighbour>> pairs_of_;  // may hold dead ones
  // Of each node: its chain, and the bytes before it there.
  std::vector<uint32_t> chain_of_;
  std::vector<double> offsets_;
  std::vector<Arc> arcs_;
  std::vector<Pair> pairs_;
  std::vector<uint8_t> is_dead_;  // by pair: merged, joined to another, or too large
  Queue candidates_;
  // While pairs are joined, by chain: the kept chain's pair with it.
  std::vector<uint32_t> pair_with_ = std::vector<uint32_t>(chains_.size(), kNone);
};

}  // namespace

std::vector<std::vector<uint32_t>> CacheDirectedChains(const std::vector<ChainNode>& nodes,
                                                       const std::vector<ChainArc>& arcs,
                                                       const ChainOptions& options) {
  return Merger(nodes, arcs, options).Run();
}

}  // namespace gprofhub::analyzer
