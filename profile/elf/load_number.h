// Reads numbers of an ELF file that elfutils has not opened yet.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gprofhub::profile {

// The number in the `size` bytes at `at`.
inline uint64_t LoadNumber(const void* at, size_t size, bool big_endian) {
  const auto* bytes = static_cast<const unsigned char*>(at);
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value = value << 8 | bytes[big_endian ? i : size - 1 - i];
  return value;
}

}  // namespace gprofhub::profile
