// Adding profiles up. Addition is associative and commutative in its values;
// arcs and blocks keep the order in which they were first seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "profile/raw_profile.h"

namespace gprofhub {

// Sums many profiles of one image in time linear in their size.
class ProfileMerger {
 public:
  // Adds `part`. Histograms of equal range, rate, dimension and number of bins
  // are added bin by bin; those of disjoint ranges stand side by side, in
  // ascending order of address. Arcs of one (from_pc, self_pc) and blocks of
  // one pc become one.
  //
  // InvalidArgument: a histogram overlaps another one and is not like it, or
  // differs from it in rate or dimension. OutOfRange: a sum exceeds 64 bits.
  // After an error the sum is incomplete: drop the merger.
  absl::Status Add(const RawProfile& part);

  // The sum so far; leaves the merger empty.
  RawProfile Take();

 private:
  absl::Status AddHistogram(const Histogram& part);

  std::map<uint64_t, Histogram> histograms_;  // by low_pc
  RawProfile sum_;                            // arcs and blocks
  absl::flat_hash_map<std::pair<uint64_t, uint64_t>, size_t> arc_rows_;
  absl::flat_hash_map<uint64_t, size_t> block_rows_;
};

// Adds `part` to `sum`, as ProfileMerger does; for more than a few parts use
// that. On an error `sum` is unchanged.
absl::Status MergeInto(RawProfile& sum, const RawProfile& part);

}  // namespace gprofhub
