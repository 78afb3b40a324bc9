// Adding profiles up. Addition is associative and commutative in its values;
// arcs and blocks keep the order in which they were first seen.
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
  // Adds `part`. Histograms of equal range, rate, dimension and number of bins
  // are added bin by bin; those of disjoint ranges stand side by side, in
  // ascending order of address. Arcs of one (from_pc, self_pc) and blocks of
  // one pc become one. Stacks stand side by side. A histogram whose rate is
  // assumed has that of the others.
  //
  // InvalidArgument: a histogram overlaps another one and is not like it, or
  // differs from it in rate or dimension. OutOfRange: a sum exceeds 64 bits.
  // After an error the sum is incomplete: drop the merger.
  //
  // What the sum does not take of the part's memory it leaves there: another profile may
  // be read into that (GmonFile::Read).
  absl::Status Add(RawProfile&& part);
  // For a profile whose arcs are added as they are read: says how many they are, before
  // AddArcs for each batch and Add for the rest of it.
  void BeginArcs(size_t arcs);
  // OutOfRange: as above.
  absl::Status AddArcs(absl::Span<const RawArc> arcs);

  // What the sum takes now, about.
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

// Adds `part` to `sum`, as ProfileMerger does; for more than a few parts use
// that. On an error `sum` is unchanged.
absl::Status MergeInto(RawProfile& sum, const RawProfile& part);

}  // namespace gprofhub::profile
