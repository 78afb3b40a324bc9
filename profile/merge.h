// Adds up profiles. Addition is associative and commutative in its values; arcs and blocks keep the
// order of first occurrence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "profile/keyed_sum.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// Sums many profiles of one image in time linear in their size.
class ProfileMerger {
 public:
  // Adds `part`. Histograms of equal range, rate, dimension and number of bins are added bin by
  // bin; those of disjoint ranges are kept separately, in ascending order of address. Arcs of one
  // (from_pc, self_pc) and blocks of one pc are merged. Stacks are concatenated. A histogram with
  // an assumed rate takes the rate of the others.
  //
  // InvalidArgument: a histogram overlaps a different one, or differs in rate or dimension.
  // OutOfRange: a sum exceeds 64 bits. After an error the sum is incomplete: discard the merger.
  //
  // Memory of the part that the sum does not take stays in `part`, to be reused for another profile
  // (GmonFile::Read).
  absl::Status Add(RawProfile&& part);
  // For a profile whose arcs are added while it is read: announces their number, before AddArcs for
  // each batch and Add for the rest of it.
  void BeginArcs(size_t arcs);
  // OutOfRange: as above.
  absl::Status AddArcs(absl::Span<const RawArc> arcs);

  // Approximate memory of the sum.
  uint64_t MemoryUsed() const;

  // The sum so far; leaves the merger empty.
  RawProfile Take();

 private:
  struct ArcKey {
    static uint64_t Major(const RawArc& arc) { return arc.from_pc; }
    static uint64_t Minor(const RawArc& arc) { return arc.self_pc; }
  };
  struct BlockKey {
    static uint64_t Major(const BasicBlock& block) { return block.pc; }
    static uint64_t Minor(const BasicBlock&) { return 0; }
  };

  absl::Status AgreeOnUnit(Histogram& part);
  absl::Status AddHistogram(Histogram&& part);

  std::map<uint64_t, Histogram> histograms_;  // by low_pc
  KeyedSum<RawArc, ArcKey> arcs_;
  KeyedSum<BasicBlock, BlockKey> blocks_;
  std::vector<StackFrame> stacks_;
  bool has_spontaneous_ = false;
};

// Adds `part` to `sum`, as ProfileMerger does, which is faster for more than a few parts. On an
// error `sum` is unchanged.
absl::Status MergeInto(RawProfile& sum, const RawProfile& part);

}  // namespace gprofhub::profile
