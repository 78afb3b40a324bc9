// Files without their zeros. A recording is a directory of 32 KiB and tables of mostly empty slots,
// so mutations of it seldom meet anything that is read. An input is a row of pieces instead. A
// piece is the number of zeros before it (4 bytes, little-endian), its length (2 bytes) and its
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::fuzz {

inline uint32_t PieceNumber(absl::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

// The file assembled from the pieces, up to 256 KiB.
inline std::string FromPieces(absl::string_view pieces) {
  constexpr size_t kMaxBytes = 256 << 10;
  std::string file;
  while (pieces.size() >= 6) {
    const size_t zeros = PieceNumber(pieces.substr(0, 4));
    const absl::string_view piece = pieces.substr(6, PieceNumber(pieces.substr(4, 2)));
    if (zeros > kMaxBytes || file.size() + zeros + piece.size() > kMaxBytes) break;
    file.append(zeros, '\0');
    file.append(piece.data(), piece.size());
    pieces.remove_prefix(6 + piece.size());
  }
  return file;
}

}  // namespace gprofhub::fuzz
