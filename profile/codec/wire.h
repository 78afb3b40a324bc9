// Protobuf's wire format, read in place: fields and packed numbers as they stand in the bytes,
// nothing copied or allocated. libprotobuf's own parser makes objects of everything that it meets,
// which hostile bytes use. Source: "Encoding" in protobuf's documentation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::profile {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kDelimited = 2, kFixed32 = 5 };

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;       // of a number
  absl::string_view bytes;  // of what is delimited
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

// Takes a number of `size` bytes, at most 8, the low ones first; false if it is cut off.
bool TakeFixed(absl::string_view& bytes, size_t size, uint64_t& value);

// The fields of one message, one after the other; not those of messages in it.
class WireReader {
 public:
  explicit WireReader(absl::string_view bytes) : rest_(bytes) {}

  // False at the end, and where the bytes are no message: cut off, or with groups.
  bool Next(WireField& field);
  bool failed() const { return failed_; }

 private:
  absl::string_view rest_;
  bool failed_ = false;
};

// A repeated field of packed numbers. Read with Next as often as there are rows.
class PackedColumn {
 public:
  PackedColumn() = default;
  // kVarint, or kFixed32. Gives nothing where the bytes are no such numbers: well_formed() says so.
  PackedColumn(absl::string_view bytes, WireType type);

  size_t rows() const { return rows_; }
  bool well_formed() const { return well_formed_; }
  // False where a number has more than 64 bits, and after the last row.
  bool Next(uint64_t& value);

 private:
  absl::string_view rest_;
  WireType type_ = WireType::kVarint;
  size_t rows_ = 0;
  bool well_formed_ = true;
};

}  // namespace gprofhub::profile
