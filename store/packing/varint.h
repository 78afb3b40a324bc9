// Numbers of seven bits a byte, the low ones first; a further byte follows where the eighth is set.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::store {

inline void AppendVarint(uint64_t value, std::string& bytes) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
}

// False if it is cut off, or has more than ten bytes.
inline bool TakeVarint(absl::string_view& bytes, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const uint8_t byte = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    value |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

}  // namespace gprofhub::store
