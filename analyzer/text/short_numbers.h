// Nearly branch-free formatting of short numbers.
//
// Digit by digit, a number costs one or two mispredicted branches because of its length, more than
// all of its digits. So numbers below 10,000 are read from a table, padded with spaces to four
// characters. Most numbers are small, so the part of the table for large ones need not stay in the
// cache.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace gprofhub::analyzer {

// "%02u" of 0 to 99, one after another.
inline constexpr std::array<char, 200> kTwoDigits = [] {
  std::array<char, 200> digits{};
  for (int i = 0; i < 100; ++i) {
    digits[2 * i] = static_cast<char>('0' + i / 10);
    digits[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return digits;
}();

// "%4u" of 0 to 9999, one after another.
extern const std::array<char, 40000> kPaddedToFour;

// "%7u" of a number below 10,000,000, in the seven bytes before `end`, which hold spaces.
inline void WriteShortInteger(uint32_t value, char* end) {
  if (value < 10000) {
    std::memcpy(end - 4, &kPaddedToFour[4 * value], 4);
    return;
  }
  const uint32_t high = value / 10000;
  const uint32_t low = value % 10000;
  std::memcpy(end - 7, &kPaddedToFour[4 * high + 1], 3);
  std::memcpy(end - 4, &kTwoDigits[2 * (low / 100)], 2);
  std::memcpy(end - 2, &kTwoDigits[2 * (low % 100)], 2);
}

// "%7.2f" of a number of hundredths below 1,000,000, in the seven bytes before `end`.
inline void WriteShortHundredths(uint32_t hundredths, char* end) {
  std::memcpy(end - 7, &kPaddedToFour[4 * (hundredths / 100)], 4);
  end[-3] = '.';
  std::memcpy(end - 2, &kTwoDigits[2 * (hundredths % 100)], 2);
}

}  // namespace gprofhub::analyzer
