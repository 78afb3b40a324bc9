// The magic bytes of an ELF file.
#pragma once

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace gprofhub::profile {

inline constexpr size_t kElfMagicBytes = 4;

// Whether a file with these first bytes, kElfMagicBytes or more, is an ELF file.
inline bool IsElf(absl::string_view begin) {
  constexpr absl::string_view kMagic("\177ELF", kElfMagicBytes);
  return absl::StartsWith(begin, kMagic);
}

}  // namespace gprofhub::profile
