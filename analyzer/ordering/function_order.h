// Orders functions for locality: chains of hot calls, merged best first.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/ordering/ordering_graph.h"
#include "base/parallel.h"

namespace gprofhub::analyzer {

// A priority queue by descending gain, for millions of candidates, most of which are stale before
// they reach the front.
//
// Candidates are in buckets by the leading bits of their gain. The bucket with the greatest gains
// is the current one, and only it is sorted. Candidates that are pushed later and belong into the
// current bucket, or above it, are in a heap. One heap of all candidates would miss the caches at
// each of its levels. Sorted list and heap are small enough to stay in the caches, as long as gains
// are spread over many buckets. The sorted list also determines the next candidates, so that their
// memory can be prefetched. After Brown, "Calendar queues", 1988.

// `Candidate` has a positive, finite `gain` and a total order in which the greater gain is
// the greater.
template <typename Candidate>
class BestFirst {
 public:
  void Push(const Candidate& candidate) {
    const size_t bucket = BucketOf(candidate);
    if (bucket < current_) {
      buckets_[bucket].push_back(candidate);
      return;
    }
    heap_.push_back(candidate);
    std::push_heap(heap_.begin(), heap_.end());
  }

  // Pops the candidate of the greatest gain; nullopt if the queue is empty. `is_over(candidate)` is
  // called when the candidate's bucket becomes the current one. True drops the candidate; the call
  // may push another one in its place. Candidates that become stale later are still returned.
  // `fetch(candidate, distance)` is called for candidates that follow in `distance` steps, kFar or
  // kNear, so that their memory can be prefetched.
  template <typename IsOver, typename Fetch>
  std::optional<Candidate> Take(const IsOver& is_over, const Fetch& fetch) {
    while (heap_.empty() && sorted_.empty()) {
      if (current_ == 0) return std::nullopt;
      Open(is_over, fetch);
    }
    if (sorted_.empty() || (!heap_.empty() && sorted_.back() < heap_.front())) {
      std::pop_heap(heap_.begin(), heap_.end());
      const Candidate best = heap_.back();
      heap_.pop_back();
      return best;
    }
    const Candidate best = sorted_.back();
    sorted_.pop_back();
    if (sorted_.size() > kFar) fetch(sorted_[sorted_.size() - kFar], kFar);
    if (sorted_.size() > kNear) fetch(sorted_[sorted_.size() - kNear], kNear);
    return best;
  }

  static constexpr size_t kFar = 16;
  static constexpr size_t kNear = 8;

 private:
  // Makes the next bucket the current one.
  template <typename IsOver, typename Fetch>
  void Open(const IsOver& is_over, const Fetch& fetch) {
    const std::vector<Candidate> bucket = std::move(buckets_[--current_]);
    buckets_[current_] = {};
    base::ForEachFetched(
        0, bucket.size(),
        [&](size_t i) {
          if (!is_over(bucket[i])) sorted_.push_back(bucket[i]);
        },
        base::FetchAhead{kFar, [&](size_t i) { fetch(bucket[i], kFar); }},
        base::FetchAhead{kNear, [&](size_t i) { fetch(bucket[i], kNear); }});
    std::sort(sorted_.begin(), sorted_.end());
  }

  // 64 buckets for each power of two: the exponent and six bits of the mantissa. Positive
  // numbers are ordered as their bits are.
  static constexpr int kBitsBelow = 46;
  static constexpr size_t kBuckets = size_t{1} << (63 - kBitsBelow);

  static size_t BucketOf(const Candidate& candidate) {
    return std::bit_cast<uint64_t>(candidate.gain) >> kBitsBelow;
  }

  std::vector<std::vector<Candidate>> buckets_ = std::vector<std::vector<Candidate>>(kBuckets);
  // Candidates below bucket current_ are in their buckets. The others:
  std::vector<Candidate> sorted_;  // in the bucket when it became current; ascending
  std::vector<Candidate> heap_;    // pushed later
  size_t current_ = kBuckets;
};

// Functions to be chained, and the arcs between each pair of them.

struct ChainNode {
  uint64_t size = 0;   // bytes
  double weight = 0;   // how often it is entered
  uint32_t group = 0;  // only nodes of one group are chained
};

struct ChainArc {
  uint32_t from = 0;
  uint32_t to = 0;
  uint32_t site = 0;  // bytes from the beginning of `from`
  double weight = 0;
};

// No arc, at the end of a list.
inline constexpr uint32_t kNoArc = UINT32_MAX;

// Every node begins as a chain of its own, which it founds. A pair is two chains with arcs
// between them.
struct ChainPairs {
  // A pair of a chain.
  struct Neighbour {
    uint32_t pair;
    uint32_t founder;  // of the other chain
  };
  struct Pair {
    uint32_t first = 0;  // founders of the two chains
    uint32_t second = 0;
    uint32_t first_arc = kNoArc;  // of a list through Arc::next
    uint32_t last_arc = kNoArc;
    uint32_t version = 0;
    uint32_t nodes = 0;  // of both chains when it was valued
    bool first_leads = true;
  };
  struct Arc {
    uint32_t from;
    uint32_t to;
    uint32_t site;
    uint32_t next;  // of the same pair; kNoArc: it is the last
    double weight;
  };

  std::vector<Pair> pairs;
  std::vector<Arc> arcs;                         // those of a pair are adjacent
  std::vector<std::vector<Neighbour>> of_chain;  // by founder
};

// The pairs of the nodes' chains. Leaves out arcs without weight, those from a node to
// itself, and those between groups.
ChainPairs PairChains(const std::vector<ChainNode>& nodes, const std::vector<ChainArc>& arcs);

// Function ordering by cache-directed sort.

struct ChainOptions {
  // Merges are compared by their gain per byte of the smaller chain. False: by their gain, as
  // published, which only benchmarks/ordering uses.
  bool gain_per_byte = true;
};

// Chains of nodes that should be adjacent, each node in one of them; ascending by each chain's
// first-numbered founder. Depends on the values alone.
std::vector<std::vector<uint32_t>> CacheDirectedChains(const std::vector<ChainNode>& nodes,
                                                       const std::vector<ChainArc>& arcs,
                                                       const ChainOptions& options);

// Function ordering for few pages and few TLB misses at once: gprofhub's own.

// Every function of the graph once, in the order in which to link them. Depends
// on the graph's values alone.
std::vector<uint32_t> OrderByCoverage(const OrderingGraph& graph);

// Order of the chains of functions.

// The nodes of all chains, chain by chain. Chains are sorted stably by ascending group, then by
// falling density (entries per byte).
std::vector<uint32_t> InOrderOfDensity(const std::vector<ChainNode>& nodes,
                                       const std::vector<std::vector<uint32_t>>& chains);

// Function ordering as GNU gprof 2.40's --function-ordering suggests it.

// Calls of one function by another. A pair of functions may have several arcs.
struct WeightedArc {
  uint32_t caller = 0;  // both are rows of `called`
  uint32_t callee = 0;
  uint64_t count = 0;
};

// Every row of `called` once. `called[row]`: whether another function calls it. Arcs of
// one count are taken in their order.
// O(arcs log arcs).
std::vector<uint32_t> OrderGprof(const std::vector<bool>& called, std::vector<WeightedArc> arcs);

}  // namespace gprofhub::analyzer
