// A queue that gives the candidate of the greatest gain first, for millions of which most
// are overtaken before their turn comes.
//
// Candidates lie in buckets by the leading bits of their gain, in no order; only those of
// the bucket whose turn it is, and what comes in above it since, are in a heap. A heap
// of all would miss the caches at each of its levels; this one stays in them, as long as
// gains are spread over many buckets. After Brown, "Calendar queues", 1988.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gprofhub {

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

  // The greatest; none if it is empty. `is_over(candidate)` says that one need not be
  // given any more: it may be given all the same.
  template <typename IsOver>
  std::optional<Candidate> Take(const IsOver& is_over) {
    while (heap_.empty()) {
      if (current_ == 0) return std::nullopt;
      std::vector<Candidate> bucket = std::move(buckets_[--current_]);
      for (const Candidate& candidate : bucket) {
        if (!is_over(candidate)) heap_.push_back(candidate);
      }
      std::make_heap(heap_.begin(), heap_.end());
    }
    std::pop_heap(heap_.begin(), heap_.end());
    const Candidate best = heap_.back();
    heap_.pop_back();
    return best;
  }

 private:
  // 64 buckets for each power of two: the exponent and six bits of the mantissa. Positive
  // numbers are ordered as their bits are.
  static constexpr int kBitsBelow = 46;
  static constexpr size_t kBuckets = size_t{1} << (63 - kBitsBelow);

  static size_t BucketOf(const Candidate& candidate) {
    return std::bit_cast<uint64_t>(candidate.gain) >> kBitsBelow;
  }

  std::vector<std::vector<Candidate>> buckets_ = std::vector<std::vector<Candidate>>(kBuckets);
  std::vector<Candidate> heap_;  // of the buckets from current_ on
  size_t current_ = kBuckets;    // below, all is in its bucket
};

}  // namespace gprofhub
