// Tests for overlapping histograms.
#pragma once

#include <cstdint>
#include <iterator>

namespace gprofhub::profile {

// Whether the ranges [low_a, high_a) and [low_b, high_b) overlap.
constexpr bool Overlap(uint64_t low_a, uint64_t high_a, uint64_t low_b, uint64_t high_b) {
  return low_a < high_b && low_b < high_a;
}

// `by_low_pc` is an ordered map from low_pc to a value with high_pc; its ranges are disjoint.
// Returns the first of them that overlaps [low_pc, high_pc), otherwise end().
template <typename Map>
auto FindOverlapping(Map& by_low_pc, uint64_t low_pc, uint64_t high_pc) {
  const auto next = by_low_pc.lower_bound(low_pc);
  if (next != by_low_pc.begin()) {
    const auto before = std::prev(next);
    if (Overlap(before->first, before->second.high_pc, low_pc, high_pc)) return before;
  }
  if (next != by_low_pc.end() && Overlap(next->first, next->second.high_pc, low_pc, high_pc)) {
    return next;
  }
  return by_low_pc.end();
}

}  // namespace gprofhub::profile
