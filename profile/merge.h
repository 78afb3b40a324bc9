// Adds up profiles. Addition is associative and commutative in its values; arcs and blocks keep the
// order of first occurrence.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// Tests for overlapping histograms.

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

// Adds up rows with equal keys, in the order of first occurrence. Profiles are written by walking a
// table. So:
//   - within one, keys mostly ascend, and a row above all others is new;
//   - several of one program mostly have the same rows in the same order, so that the row after
//     the one just found is the best guess for the next.
// Only if neither holds is a row looked up, in a hash table that is built on first need. Its hash
// has a secret seed, because keys come from uploads.

// Row: a struct with `uint64_t count`. Key: a struct with static functions
//   uint64_t Major(const Row&)   the more significant part of its key
//   uint64_t Minor(const Row&)   the rest of it
template <typename Row, typename Key>
class KeyedSum {
 public:
  // Call before the rows of each further profile, which is mostly like the previous one.
  void Begin() { guess_ = 0; }
  bool empty() const { return rows_.empty(); }
  // Reserves memory for this many more rows.
  void Reserve(size_t rows) { rows_.reserve(rows_.size() + rows); }

  // Adds rows of the current profile. Stops at the first row whose count would exceed 64 bits, and
  // returns it.
  std::optional<Row> Add(absl::Span<const Row> rows) {
    for (size_t i = AddRowsAsExpected(rows, 0); i < rows.size();
         i = AddRowsAsExpected(rows, i + 1)) {
      if (!AddRow(rows[i])) return rows[i];
    }
    return std::nullopt;
  }

  // Memory of the rows and their table.
  uint64_t MemoryUsed() const {
    return rows_.capacity() * sizeof(Row) + slots_.capacity() * sizeof(uint32_t);
  }

  std::vector<Row> Take() {
    std::vector<Row> rows = std::move(rows_);
    *this = KeyedSum();
    return rows;
  }

 private:
  // Adds rows from `first` on as long as they are the expected ones, as is usual within one
  // program; returns the first that is not, or whose count is too large.
  size_t AddRowsAsExpected(absl::Span<const Row> part, size_t first) {
    const size_t most = std::min(part.size() - std::min(first, part.size()), rows_.size() - guess_);
    Row* const sum = rows_.data() + guess_;
    const Row* const rows = part.data() + first;
    size_t count = 0;
    for (; count < most && SameKey(sum[count], rows[count]); ++count) {
      uint64_t both = 0;
      if (__builtin_add_overflow(sum[count].count, rows[count].count, &both)) break;
      sum[count].count = both;
    }
    guess_ += count;
    return first + count;
  }

  // Rows with one major key that are compared before the hash table is used.
  static constexpr size_t kFew = 16;

  static bool SameKey(const Row& a, const Row& b) {
    return Key::Major(a) == Key::Major(b) && Key::Minor(a) == Key::Minor(b);
  }

  bool AddRow(const Row& row) {
    if (guess_ < rows_.size() && SameKey(rows_[guess_], row)) return AddTo(guess_, row);
    if (ascending_) {
      if (rows_.empty() || Key::Major(row) > Key::Major(rows_.back())) return Append(row);
      if (Key::Major(row) == Key::Major(rows_.back())) {
        if (const std::optional<size_t> place = AmongLast(row)) {
          return *place == rows_.size() ? Append(row) : AddTo(*place, row);
        }
      }
    }
    if (slots_.empty()) BuildSlots();
    const uint32_t found = slots_[SlotOf(row)];
    if (found != 0) return AddTo(found - 1, row);
    ascending_ = ascending_ && Key::Major(row) >= Key::Major(rows_.back());
    return Append(row);
  }

  bool AddTo(size_t place, const Row& row) {
    guess_ = place + 1;
    return !__builtin_add_overflow(rows_[place].count, row.count, &rows_[place].count);
  }

  bool Append(const Row& row) {
    rows_.push_back(row);
    guess_ = rows_.size();
    if (slots_.empty()) return true;
    if (rows_.size() * 2 > slots_.size()) {
      BuildSlots();
    } else {
      slots_[SlotOf(row)] = static_cast<uint32_t>(rows_.size());
    }
    return true;
  }

  // Position of the row among the last rows, with its major key: that of its equal, or the end.
  // nullopt if there are more than a few.
  std::optional<size_t> AmongLast(const Row& row) const {
    for (size_t back = 1; back <= kFew; ++back) {
      if (back > rows_.size()) return rows_.size();
      const size_t place = rows_.size() - back;
      if (Key::Major(rows_[place]) != Key::Major(row)) return rows_.size();
      if (Key::Minor(rows_[place]) == Key::Minor(row)) return place;
    }
    return std::nullopt;
  }

  // The slot of the row's equal, or the empty one where the row belongs.
  size_t SlotOf(const Row& row) const {
    const auto product = static_cast<unsigned __int128>(Key::Major(row) ^ major_seed_) *
                         (Key::Minor(row) ^ minor_seed_);
    size_t slot = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    while (true) {
      slot &= slots_.size() - 1;
      const uint32_t found = slots_[slot];
      if (found == 0 || SameKey(rows_[found - 1], row)) return slot;
      ++slot;
    }
  }

  void BuildSlots() {
    std::random_device random;
    major_seed_ = uint64_t{random()} << 32 | random() | 1;
    minor_seed_ = uint64_t{random()} << 32 | random() | 1;
    size_t size = 64;
    while (size < rows_.size() * 4) size *= 2;
    slots_.assign(size, 0);
    for (size_t i = 0; i < rows_.size(); ++i) {
      slots_[SlotOf(rows_[i])] = static_cast<uint32_t>(i + 1);
    }
  }

  std::vector<Row> rows_;
  size_t guess_ = 0;             // the next expected row
  bool ascending_ = true;        // the rows' major keys never descend
  std::vector<uint32_t> slots_;  // row + 1; 0: empty. A power of two, at most half full
  uint64_t major_seed_ = 0;
  uint64_t minor_seed_ = 0;
};

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
  // Returns the place of each in others_, from 1.
  std::vector<uint32_t> AddOthers(const std::vector<OtherObject>& others);

  std::map<uint64_t, Histogram> histograms_;  // by low_pc
  KeyedSum<RawArc, ArcKey> arcs_;
  KeyedSum<BasicBlock, BlockKey> blocks_;
  std::vector<StackFrame> stacks_;
  std::vector<OtherObject> others_;
  std::map<std::string, uint32_t> other_places_;  // by name
  bool has_spontaneous_ = false;
};

// Adds `part` to `sum`, as ProfileMerger does, which is faster for more than a few parts. On an
// error `sum` is unchanged.
absl::Status MergeInto(RawProfile& sum, const RawProfile& part);

}  // namespace gprofhub::profile
