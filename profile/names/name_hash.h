// A 32-bit hash of a linkage name.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// FNV-1a. It is stored, so it never changes. Collisions within a program are rare but possible:
// decisions based on the hash alone must tolerate them.
inline uint32_t NameHash(absl::string_view name) {
  uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

}  // namespace gprofhub::profile
