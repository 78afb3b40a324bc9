// Bits that are mostly as foretold, in far less than a bit each.
//
// A range coder: G. N. N. Martin, "Range encoding" (1979), in the binary, carry-propagating form
// that LZMA made common. Each bit has an adaptive probability (BitModel). A number is written as
// its length in unary, its two highest bits after the leading one by models, and the rest as it is:
// I. H. Witten, R. M. Neal, J. G. Cleary, "Arithmetic coding for data compression" (CACM 1987), for
// the models; P. Elias, "Universal codeword sets" (1975), for the numbers.
//
// zstd was tried for the same numbers. It needs two to three bytes for each that is not as
// foretold, and a table of some 50 bytes for gaps that are so by chance. No library of Debian has a
// coder as this.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::store {

// How probable a bit is, learned from those before it: fast at first.
class BitModel {
 public:
  uint32_t zero() const { return zero_; }  // of 1 << 16
  void Learn(bool bit) {
    const int32_t to = bit ? kLeast : 65536 - kLeast;
    zero_ = static_cast<uint16_t>(zero_ + ((to - zero_) * kRates[seen_]) / 65536);
    if (seen_ + 1u < kRates.size()) ++seen_;
  }

 private:
  static constexpr int32_t kLeast = 32;
  // What one more bit counts, of 65536: of the first two thirds, of the last one in forty.
  static constexpr std::array<int32_t, 21> kRates = {
      43690, 26214, 18724, 14563, 11915, 10082, 8738, 7710, 6898, 6241, 5461,
      4854,  4369,  3855,  3449,  2979,  2621,  2260, 1986, 1638, 1638};
  uint16_t zero_ = 1 << 15;
  uint8_t seen_ = 0;
};

// The models of a number in one context.
struct NumberModel {
  static constexpr size_t kLengths = 24;  // longer numbers share one
  std::array<BitModel, 65> length;
  std::array<std::array<BitModel, 3>, kLengths + 1> high;

  std::array<BitModel, 3>& HighOf(int bits) {
    return high[std::min(static_cast<size_t>(bits), kLengths)];
  }
};

class RangeEncoder {
 public:
  void Bit(BitModel& model, bool bit);
  void Plain(uint64_t value, int bits);
  void Number(NumberModel& model, uint64_t value);
  // To be called once, at the end.
  std::string Take();

 private:
  void Shift();

  uint64_t low_ = 0;
  uint32_t range_ = 0xFFFFFFFF;
  uint64_t pending_ = 0;  // bytes of 0xFF after last_, which a carry would change
  uint8_t last_ = 0;
  bool has_last_ = false;
  std::string bytes_;
};

// Reads any bytes. Beyond their end it reads zeros, and says so.
class RangeDecoder {
 public:
  explicit RangeDecoder(absl::string_view bytes);
  bool Bit(BitModel& model);
  uint64_t Plain(int bits);
  uint64_t Number(NumberModel& model);
  // More was asked for than an encoder can have written.
  bool overrun() const { return beyond_ > kBehindEnd; }

 private:
  static constexpr size_t kBehindEnd = 4;
  uint8_t Next();

  absl::string_view rest_;
  size_t beyond_ = 0;
  uint32_t range_ = 0xFFFFFFFF;
  uint32_t code_ = 0;
};

}  // namespace gprofhub::store
