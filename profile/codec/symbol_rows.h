// Converts the rows of a symbol bundle's tables to values, within a memory limit.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/memory_budget.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// A symbol bundle in its wire form (proto/symbols.proto), with its strings in place.

// "symbol bundle: <field>: <problem>: send a bundle that gprofhub made".
absl::Status BadBundle(absl::string_view field, absl::string_view problem);

// Index of the strings of a bundle, in its content: eight bytes for each.
class WireStrings {
 public:
  // `content` must outlive the strings, and be smaller than 4 GiB.
  explicit WireStrings(absl::string_view content) : content_(content) {}

  // A view of the content.
  void Add(absl::string_view string) {
    places_.push_back({static_cast<uint32_t>(string.data() - content_.data()),
                       static_cast<uint32_t>(string.size())});
  }
  size_t size() const { return places_.size(); }
  // `index` < size().
  absl::string_view operator[](size_t index) const {
    return content_.substr(places_[index].begin, places_[index].size);
  }

 private:
  struct Place {
    uint32_t begin;
    uint32_t size;
  };
  const absl::string_view content_;
  std::vector<Place> places_;
};

// Compact columns of similar numbers. The shorter of two forms is used:
//
//   runs    (number, repetitions) pairs: counts that repeat from run to run
//   frames  64 numbers at a time, each less the frame's smallest, in as many bits as the largest
//           of them needs: samples, which scatter about a level
//
// Frame-of-reference coding: J. Goldstein, R. Ramakrishnan, U. Shaft, "Compressing Relations and
// Indexes" (ICDE 1998). Time-series databases write floating-point numbers as XORs of neighbours
// (T. Pelkonen et al., "Gorilla", VLDB 2015). Ours are integers, for which a frame is shorter and
// faster.

// Appends the numbers, without their count, which the reader must know.
void AppendPacked(absl::Span<const uint64_t> numbers, std::string& out);

// Takes `count` numbers from the front of `bytes` into `numbers`. False if the bytes are not a
// valid column; then `numbers` is unspecified. Allocates for `count`, which the caller must bound.
bool TakePacked(absl::string_view& bytes, size_t count, std::vector<uint64_t>& numbers);

// Reads protobuf's wire format in place: fields and packed numbers, without copies or allocations.
// libprotobuf's own parser creates an object for every element, which hostile input exploits.
// Source: "Encoding" in protobuf's documentation.

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kDelimited = 2, kFixed32 = 5 };

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;       // for a number
  absl::string_view bytes;  // for a length-delimited field
};

// Takes a number from the front of `bytes`; false if it is cut off or has more than 64 bits.
bool TakeLongVarint(absl::string_view& bytes, uint64_t& value);
inline bool TakeVarint(absl::string_view& bytes, uint64_t& value) {
  // Most numbers have one byte.
  if (bytes.empty() || static_cast<uint8_t>(bytes.front()) >= 0x80) {
    return TakeLongVarint(bytes, value);
  }
  value = static_cast<uint8_t>(bytes.front());
  bytes.remove_prefix(1);
  return true;
}
void AppendVarint(uint64_t value, std::string& bytes);

// Takes a little-endian number of `size` bytes, at most 8; false if it is cut off.
inline bool TakeFixed(absl::string_view& bytes, size_t size, uint64_t& value) {
  if (bytes.size() < size) return false;
  value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&value, bytes.data(), size);
  } else {
    for (size_t i = 0; i < size; ++i) {
      value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
    }
  }
  bytes.remove_prefix(size);
  return true;
}

// Iterates over the fields of one message, without those of nested messages.
class WireReader {
 public:
  explicit WireReader(absl::string_view bytes) : rest_(bytes) {}

  // False at the end, and if the bytes are not a valid message: cut off, or with groups.
  bool Next(WireField& field);
  bool failed() const { return failed_; }

 private:
  absl::string_view rest_;
  bool failed_ = false;
};

// A repeated field of packed numbers. Call Next once per row.
class PackedColumn {
 public:
  PackedColumn() = default;
  // kVarint, kFixed32 or kFixed64. Empty if the bytes are not such numbers; well_formed() reports
  // that.
  PackedColumn(absl::string_view bytes, WireType type);

  size_t rows() const { return rows_; }
  bool well_formed() const { return well_formed_; }
  // False if a number has more than 64 bits, and after the last row.
  bool Next(uint64_t& value) {
    if (type_ == WireType::kVarint) return TakeVarint(rest_, value);
    // Separate code for each size, so that the copy is one instruction.
    return type_ == WireType::kFixed64 ? TakeFixed(rest_, 8, value) : TakeFixed(rest_, 4, value);
  }

 private:
  absl::string_view rest_;
  WireType type_ = WireType::kVarint;
  size_t rows_ = 0;
  bool well_formed_ = true;
};

// A message whose fields are columns, by field number; empty if absent.
class WireTable {
 public:
  static constexpr uint32_t kMostNumber = 20;

  // Column 20 has numbers of 32 bits, those with a bit in `doubles` have numbers of 64, the others
  // have varints. The error, INVALID_ARGUMENT, describes the first problem.
  static absl::StatusOr<WireTable> Read(absl::string_view bytes, uint32_t doubles = 0);

  // The same for one field of a message whose tables occur once each. `seen` has the bits of
  // earlier fields; the field's number is below 64.
  static absl::StatusOr<WireTable> ReadOnce(const WireField& field, uint64_t& seen,
                                            uint32_t doubles = 0);

  PackedColumn& operator[](int number) { return columns_[static_cast<size_t>(number)]; }

 private:
  std::array<PackedColumn, kMostNumber + 1> columns_;
};

// Memory limit for the symbols of a bundle with this content size, at most kLargestContent.
uint64_t MostMemoryOfSymbols(uint64_t content);

// FunctionColumns.flags.
inline constexpr uint32_t kLocalFlag = 1;
inline constexpr uint32_t kWeakFlag = 2;
inline constexpr uint32_t kFunctionFlag = 4;
inline constexpr uint32_t kIndirectFlag = 8;
inline constexpr uint32_t kNeverInlinedFlag = 16;
inline constexpr uint32_t kAsksShift = 5;  // of FunctionSymbol::asks
inline constexpr uint32_t kAllFunctionFlags = kLocalFlag | kWeakFlag | kFunctionFlag |
                                              kIndirectFlag | kNeverInlinedFlag |
                                              uint32_t{kAsksAll} << kAsksShift;

// Converts the rows of the tables to values, within a memory limit.
class RowDecoder {
 public:
  // The first two must outlive the decoder. `memory` is the limit for the symbols; errors are
  // INVALID_ARGUMENT, naming table, column and row, or those of Decoding::CheckWantedAt.
  RowDecoder(const WireStrings& strings, SymbolTable& symbols, uint64_t memory,
             const base::Decoding& decoding)
      : strings_(strings),
        memory_(memory),
        decoding_(decoding),
        files_(strings, symbols.files),
        toolchains_(strings, symbols.toolchains) {}

  absl::Status DecodeFunctions(absl::string_view name, WireTable& table,
                               std::vector<FunctionSymbol>& symbols);
  // If `keep` is false, the rows are only checked.
  absl::Status DecodeLines(absl::string_view name, WireTable& table, bool keep,
                           std::vector<LineRow>& lines);
  // If `keep` is false, the rows are only checked.
  absl::Status DecodeInlined(absl::string_view name, WireTable& table, bool keep,
                             std::vector<InlinedFunction>& inlined);
  absl::Status DecodeReturns(absl::string_view name, WireTable& table,
                             std::vector<SharedReturn>& returns);

 private:
  // The strings used as names of files, or of toolchains, in separate lists.
  class UsedStrings {
   public:
    UsedStrings(const WireStrings& strings, std::vector<std::string>& used)
        : strings_(strings), used_(used) {}
    uint32_t IndexOf(uint32_t string);
    size_t size() const { return used_.size(); }
    // Their memory.
    uint64_t memory() const { return memory_; }

   private:
    const WireStrings& strings_;
    std::vector<std::string>& used_;
    absl::flat_hash_map<uint32_t, uint32_t> indices_;
    uint64_t memory_ = 0;
  };

  absl::Status DecodeFunction(absl::string_view table, WireTable& columns, size_t row,
                              FunctionSymbol& function);
  absl::Status Use(absl::string_view table, uint64_t bytes);

  const WireStrings& strings_;
  uint64_t memory_;  // remaining
  const base::Decoding decoding_;
  UsedStrings files_;
  UsedStrings toolchains_;
};

}  // namespace gprofhub::profile
