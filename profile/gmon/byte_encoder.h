// Bytes of a profile file, in a program's byte order and address size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace gprofhub::profile {

class ByteEncoder {
 public:
  ByteEncoder(int address_size, bool big_endian)
      : address_size_(address_size), big_endian_(big_endian) {}

  // Reserves this many bytes in total.
  void Reserve(size_t bytes) { bytes_.reserve(bytes); }
  // `size` bytes, at most 8.
  void Number(uint64_t value, int size) {
    char text[sizeof value];
    for (int i = 0; i < size; ++i) {
      text[big_endian_ ? size - 1 - i : i] = static_cast<char>(value >> (8 * i));
    }
    bytes_.append(text, static_cast<size_t>(size));
  }
  void Word(uint64_t value) { Number(value, address_size_); }
  // Padded with zeros to `size`.
  void Text(absl::string_view text, size_t size) {
    bytes_.append(text.data(), text.size());
    bytes_.append(size - text.size(), '\0');
  }
  std::string Take() { return std::move(bytes_); }

 private:
  int address_size_;
  bool big_endian_;
  std::string bytes_;
};

}  // namespace gprofhub::profile
