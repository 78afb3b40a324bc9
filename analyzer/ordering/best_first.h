// A queue that gives the candidate of the greatest gain first, for millions of which most
// are overtaken before their turn comes.
//
// Candidates lie in buckets by the leading bits of their gain, in no order; only those of
// the bucket whose turn it is are sorted, and what comes in above it since is in a heap. A heap
// of all would miss the caches at each of its levels; these stay in them, as long as
// gains are spread over many buckets, and tell which candidates come next, so that what
// they stand for can be fetched. After Brown, "Calendar queues", 1988.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

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

  // The greatest; none if it is empty. `is_over(candidate)` is asked of each when its bucket's
  // turn comes, and says that it need not be given: it may push another in its place. What
  // is over only later is given all the same. `fetch(candidate, turns)` is called of
  // those that are asked about or given `turns` later, kFar and kNear, for memory to be
  // fetched.
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
    for (size_t i = 0; i < bucket.size(); ++i) {
      if (i + kFar < bucket.size()) fetch(bucket[i + kFar], kFar);
      if (i + kNear < bucket.size()) fetch(bucket[i + kNear], kNear);
      if (!is_over(bucket[i])) sorted_.push_back(bucket[i]);
    }
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
  // Of the buckets from current_ on:
  std::vector<Candidate> sorted_;  // the greatest last
  std::vector<Candidate> heap_;    // those that came later
  size_t current_ = kBuckets;      // below, all is in its bucket
};

}  // namespace gprofhub::analyzer
