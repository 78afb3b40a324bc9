// Adding profiles up. Addition is associative and commutative in its values;
// arcs and blocks keep the order in which they were first seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
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
  // be loaded into that (CheckedGmon::Load).
  absl::Status Add(RawProfile&& part);
  // For a profile whose arcs are added as they are loaded: says how many they are, before
  // AddArcs for each batch and Add for the rest of it.
  void BeginArcs(size_t arcs);
  // OutOfRange: as above.
  absl::Status AddArcs(absl::Span<const RawArc> arcs);

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

  absl::Status AddHistogram(Histogram&& part);

  std::map<uint64_t, Histogram> histograms_;  // by low_pc
  RowSum<RawArc, ArcKey> arcs_;
  RowSum<BasicBlock, BlockKey> blocks_;
  std::vector<StackFrame> stacks_;
  bool has_spontaneous_ = false;
};

// Adds `part` to `sum`, as ProfileMerger does; for more than a few parts use
// that. On an error `sum` is unchanged.
absl::Status MergeInto(RawProfile& sum, const RawProfile& part);

// Waits until the profiles before have been added, and returns the sum to add this one to;
// null, if one of them could not be added: then it is not wanted.
using SumInTurn = absl::FunctionRef<ProfileMerger*()>;

// Reads one of several profiles and adds it to the sum. `buffer` is for the file's bytes:
// it holds what an earlier call left there, so that its memory serves again.
using AddProfile =
    absl::FunctionRef<absl::Status(size_t number, std::string& buffer, SumInTurn sum)>;

// The sum of the profiles that `add` adds for 0, 1, … count-1, and the error it ends in:
// those of adding them in this order. `add` is called once for each, from several threads
// at once: what it does before it asks for the sum is done at the same time, and what it
// does with the sum in order, up to the first error.
absl::StatusOr<RawProfile> SumProfiles(size_t count, AddProfile add);

}  // namespace gprofhub::profile
