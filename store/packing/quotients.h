// Doubles that are whole numbers, or those by small ones: samples, and shares of samples. All bits
// of a double are kept; one that is no such quotient stands as its bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace gprofhub::store {

struct Quotient {
  uint64_t numerator = 0;  // signed, in two's complement; the bits, if the divisor is 0
  uint64_t divisor = 1;
};

inline constexpr uint64_t kLargestDivisor = 64;
inline constexpr double kLargestNumerator = 9007199254740992.0;  // 2^53: all below are exact

inline uint64_t DoubleOf(const Quotient& quotient) {
  if (quotient.divisor == 0) return quotient.numerator;
  return std::bit_cast<uint64_t>(static_cast<double>(static_cast<int64_t>(quotient.numerator)) /
                                 static_cast<double>(quotient.divisor));
}

// With this divisor; false if the double is none such.
inline bool Divide(uint64_t bits, uint64_t divisor, Quotient& quotient) {
  const double scaled = std::nearbyint(std::bit_cast<double>(bits) * static_cast<double>(divisor));
  if (!(std::abs(scaled) < kLargestNumerator)) return false;
  quotient = {static_cast<uint64_t>(static_cast<int64_t>(scaled)), divisor};
  return DoubleOf(quotient) == bits;
}

// Over `preferred` if that can be, else over the smallest.
inline Quotient QuotientOf(uint64_t bits, uint64_t preferred) {
  Quotient quotient;
  if (preferred != 0 && Divide(bits, preferred, quotient)) return quotient;
  for (uint64_t divisor = 1; divisor <= kLargestDivisor; ++divisor) {
    if (Divide(bits, divisor, quotient)) return quotient;
  }
  return {bits, 0};
}

// The numerator of what is next to a double; 0 if there is none.
inline uint64_t NumeratorNear(uint64_t bits, uint64_t divisor, bool as_bits) {
  if (as_bits) return bits;
  const double scaled = std::nearbyint(std::bit_cast<double>(bits) * static_cast<double>(divisor));
  if (!(std::abs(scaled) < kLargestNumerator)) return 0;
  return static_cast<uint64_t>(static_cast<int64_t>(scaled));
}

// How large a numerator is, as one of so many levels.
inline size_t LevelOf(uint64_t numerator, size_t levels) {
  const int64_t value = static_cast<int64_t>(numerator);
  const uint64_t size = value < 0 ? 0 - numerator : numerator;
  return std::min<size_t>(std::bit_width(size), levels - 1);
}

}  // namespace gprofhub::store
