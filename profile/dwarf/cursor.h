// Reads numbers and strings from the bytes of a DWARF section.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// Reads beyond the end return 0 or empty, and consume the rest.
class DwarfCursor {
 public:
  DwarfCursor(absl::string_view bytes, bool big_endian) : rest_(bytes), big_endian_(big_endian) {}

  bool ok() const { return ok_; }  // false after a read beyond the end
  absl::string_view rest() const { return rest_; }

  absl::string_view Bytes(uint64_t size) {
    if (size > rest_.size()) return Fail();
    const absl::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  // Of at most 8 bytes.
  uint64_t Number(size_t size) {
    const absl::string_view bytes = Bytes(size);
    uint64_t value = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      const size_t digit = big_endian_ ? i : bytes.size() - 1 - i;
      value = value << 8 | static_cast<unsigned char>(bytes[digit]);
    }
    return value;
  }

  // LEB128; the lowest 64 bits of larger numbers.
  uint64_t Unsigned() { return Variable(false); }
  int64_t Signed() { return static_cast<int64_t>(Variable(true)); }

  // Up to a zero byte, which is consumed, too.
  absl::string_view String() {
    const size_t size = rest_.find('\0');
    if (size == absl::string_view::npos) return Fail();
    const absl::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size + 1);
    return taken;
  }

 private:
  absl::string_view Fail() {
    ok_ = false;
    return rest_ = {};
  }

  uint64_t Variable(bool is_signed) {
    uint64_t value = 0;
    for (size_t i = 0; i < rest_.size(); ++i) {
      const auto byte = static_cast<unsigned char>(rest_[i]);
      const size_t shift = 7 * i;
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) != 0) continue;
      if (is_signed && (byte & 0x40) != 0 && shift + 7 < 64) value |= UINT64_MAX << (shift + 7);
      rest_.remove_prefix(i + 1);
      return value;
    }
    Fail();
    return 0;
  }

  absl::string_view rest_;
  bool big_endian_;
  bool ok_ = true;
};

}  // namespace gprofhub::profile
