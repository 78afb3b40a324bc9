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
#include "analyzer/ordering/function_order.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/types/span.h"
#include "base/parallel.h"

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

// gprof's ordering: functions that call each other often are made neighbours.
// The rule is unpublished; it was found by experiments with GNU gprof 2.40 on random call graphs,
// and agrees on all of them where fewer than 80 functions are called.
//
// Take the arcs from the most to the least called. The effect of an arc depends on how many of its
// two functions are already placed:
//   none  It starts a chain of the two, the caller first.
//   one   The other function is added at the nearer end of that function's chain. If both ends are
//         equally near, a caller is added in front and a callee at the end.
//   both  Nothing: chains are never joined.
//
// There are two passes. The first pass takes the leading arcs that make up at most 99% of all
// calls. The second pass takes the others, and only places functions that have no place yet, so
// that rare arcs do not separate frequent ones. Functions without callers are not placed, but their
// arcs count towards the 99%. Recursion is ignored and does not count.
//
// The result is the chains in the order in which they were started. Then come the
// called functions without a chain, and then the functions without callers, both in the order of
// the rows.
//
// If 80 functions or more are called, GNU gprof has one more step at each 80th function: it sets
// aside those with the most callers, and then loses some of them, prints functions twice, or
// reorders them. That step is omitted here.

namespace {

class Chains {
 public:
  // Functions that do not take part are marked as placed from the start.
  explicit Chains(const std::vector<bool>& takes_part)
      : places_(takes_part.size()), free_(takes_part) {}

  void Add(absl::Span<const WeightedArc> arcs) {
    const size_t first_chain = ends_.size();
    for (const WeightedArc& arc : arcs) {
      if (!TakesPart(arc.caller, first_chain) || !TakesPart(arc.callee, first_chain)) continue;
      const bool caller_placed = places_[arc.caller].chain != kNone;
      const bool callee_placed = places_[arc.callee].chain != kNone;
      if (!caller_placed && !callee_placed) {
        places_[arc.caller] = {static_cast<uint32_t>(ends_.size()), 0};
        places_[arc.callee] = {static_cast<uint32_t>(ends_.size()), 1};
        ends_.push_back({0, 1});
      } else if (!caller_placed) {
        Attach(arc.caller, places_[arc.callee], true);
      } else if (!callee_placed) {
        Attach(arc.callee, places_[arc.caller], false);
      }
    }
  }

  // The chains, the other functions that took part, and those that did not.
  std::vector<uint32_t> Layout() const {
    std::vector<size_t> starts(ends_.size() + 1, 0);
    for (size_t i = 0; i < ends_.size(); ++i) {
      starts[i + 1] = starts[i] + static_cast<size_t>(ends_[i].second - ends_[i].first) + 1;
    }
    std::vector<uint32_t> order(starts.back());
    std::vector<uint32_t> not_taking_part;
    for (uint32_t row = 0; row < places_.size(); ++row) {
      const Place& place = places_[row];
      if (place.chain != kNone) {
        order[starts[place.chain] + static_cast<size_t>(place.at - ends_[place.chain].first)] = row;
      } else if (free_[row]) {
        order.push_back(row);
      } else {
        not_taking_part.push_back(row);
      }
    }
    order.insert(order.end(), not_taking_part.begin(), not_taking_part.end());
    return order;
  }

 private:
  struct Place {
    uint32_t chain = kNone;
    int64_t at = 0;  // within the chain; chains grow at both ends
  };

  bool TakesPart(uint32_t row, size_t first_chain) const {
    return free_[row] && (places_[row].chain == kNone || places_[row].chain >= first_chain);
  }

  void Attach(uint32_t row, const Place& neighbour, bool front_if_even) {
    auto& [front, back] = ends_[neighbour.chain];
    const int64_t to_front = neighbour.at - front;
    const int64_t to_back = back - neighbour.at;
    const bool at_front = to_front != to_back ? to_front < to_back : front_if_even;
    places_[row] = {neighbour.chain, at_front ? --front : ++back};
  }

  std::vector<Place> places_;                      // by row
  std::vector<bool> free_;                         // by row: takes part
  std::vector<std::pair<int64_t, int64_t>> ends_;  // by chain: first and last place
};

// The number of leading arcs that make up at most 99% of the calls.
size_t CountFrequent(const std::vector<WeightedArc>& arcs) {
  double total = 0;
  for (const WeightedArc& arc : arcs) total += static_cast<double>(arc.count);
  double sum = 0;
  for (size_t i = 0; i < arcs.size(); ++i) {
    sum += static_cast<double>(arcs[i].count);
    if (sum * 100 > total * 99) return i;
  }
  return arcs.size();
}

}  // namespace

std::vector<uint32_t> OrderGprof(const std::vector<bool>& called, std::vector<WeightedArc> arcs) {
  arcs.erase(std::remove_if(arcs.begin(), arcs.end(),
                            [](const WeightedArc& arc) { return arc.caller == arc.callee; }),
             arcs.end());
  std::stable_sort(arcs.begin(), arcs.end(),
                   [](const WeightedArc& a, const WeightedArc& b) { return a.count > b.count; });
  const size_t frequent = CountFrequent(arcs);
  Chains chains(called);
  chains.Add(absl::MakeConstSpan(arcs).first(frequent));
  chains.Add(absl::MakeConstSpan(arcs).subspan(frequent));
  return chains.Layout();
}

}  // namespace gprofhub::analyzer
