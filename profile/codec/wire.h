// Reads protobuf's wire format in place: fields and packed numbers, without copies or allocations.
// libprotobuf's own parser creates an object for every element, which hostile input exploits.
// Source: "Encoding" in protobuf's documentation.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::profile {

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

}  // namespace gprofhub::profile
