// A linkage name in 32 bits.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// FNV-1a. It is stored, so it never changes. Two of a program's names have the same one by rare
// chance: what is decided by it alone must be able to bear that.
inline uint32_t NameHash(absl::string_view name) {
  uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

}  // namespace gprofhub::profile
