// A priority queue by descending gain, for millions of candidates, most of which are stale before
// they reach the front.
//
// Candidates are in buckets by the leading bits of their gain. The bucket with the greatest gains
// is the current one, and only it is sorted. Candidates that are pushed later and belong into the
// current bucket, or above it, are in a heap. One heap of all candidates would miss the caches at
// each of its levels. Sorted list and heap are small enough to stay in the caches, as long as gains
// are spread over many buckets. The sorted list also determines the next candidates, so that their
// memory can be prefetched. After Brown, "Calendar queues", 1988.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/fetch_ahead.h"

namespace gprofhub::analyzer {

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

}  // namespace gprofhub::analyzer
