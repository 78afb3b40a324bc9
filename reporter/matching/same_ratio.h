// Compares counts per execution without rounding.
#pragma once

#include <cstdint>

namespace gprofhub::reporter {

// Whether a/x and b/y are the same number. x and y are above 0.
inline bool SameRatio(uint64_t a, uint64_t x, uint64_t b, uint64_t y) {
  using Wide = unsigned __int128;
  return static_cast<Wide>(a) * y == static_cast<Wide>(b) * x;
}

}  // namespace gprofhub::reporter
