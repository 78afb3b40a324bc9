// Text of the listings, formatted as printf would, at a fraction of its cost.
// The large listings are hundreds of megabytes of short numeric columns.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace gprofhub::analyzer {

// Nearly branch-free formatting of short numbers.
//
// Digit by digit, a number costs one or two mispredicted branches because of its length, more than
// all of its digits. So numbers below 10,000 are read from a table, padded with spaces to four
// characters. Most numbers are small, so the part of the table for large ones need not stay in the
// cache.

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

// Collects text. Widths are minimal widths in bytes, as printf's: shorter text is padded with
// spaces, on the left unless the name implies otherwise.
class TextBuffer {
 public:
  void Append(absl::string_view text) {
    if (text.empty()) return;  // whose data may be null
    Reserve(text.size());
    std::memcpy(end_, text.data(), text.size());
    end_ += text.size();
  }
  void Append(char c) {
    Reserve(1);
    *end_++ = c;
  }
  void Spaces(size_t count) {
    if (count <= kColumn) {
      Blank();
    } else {
      Reserve(count);
      std::memset(end_, ' ', count);
    }
    end_ += count;
  }
  // "%*s" and "%-*s".
  void Padded(absl::string_view text, size_t width);
  void PaddedRight(absl::string_view text, size_t width);
  // Appends the first `size` bytes of `bytes`, all of which must be readable.
  template <size_t kSize>
  void AppendPartOf(const char (&bytes)[kSize], size_t size) {
    Reserve(kSize);
    std::memcpy(end_, bytes, kSize);
    end_ += size;
  }
  // "%*lu" and "%-*lu".
  void Integer(uint64_t value, size_t width = 0) {
    if (width >= kCommonWidth && width <= kColumn && value <= kCommonInteger) {
      Blank();
      end_ += width;
      WriteShortInteger(static_cast<uint32_t>(value), end_);
    } else {
      AnyInteger(value, width);
    }
  }
  void IntegerRight(uint64_t value, size_t width);
  // "%*.*f": correctly rounded, exact ties to even; "inf", "nan" and any size
  // of number as printf has them.
  void Fixed(double value, size_t width, int decimals) {
    if (decimals == 2 && width >= kCommonWidth && width <= kColumn &&
        std::bit_cast<uint64_t>(value) <= std::bit_cast<uint64_t>(kCommonFixed)) {
      const uint32_t hundredths = Hundredths(value);
      Blank();
      end_ += width;
      WriteShortHundredths(hundredths, end_);
    } else {
      AnyFixed(value, width, decimals);
    }
  }

  absl::string_view text() const { return {bytes_.get(), size()}; }
  size_t size() const { return static_cast<size_t>(end_ - bytes_.get()); }
  void Clear() { end_ = bytes_.get(); }
  std::string Take() {
    std::string taken(text());
    Clear();
    return taken;
  }

 private:
  // Fast paths: nearly all numbers fit into columns of seven characters, and those with decimals
  // have two and are not negative.
  static constexpr size_t kCommonWidth = 7;
  static constexpr uint64_t kCommonInteger = 9999999;
  static constexpr double kCommonFixed = 9999;
  // The integer nearest to 100 * value, for 0 <= value <= kCommonFixed.
  static uint32_t Hundredths(double value) {
    const double product = value * 100;
    const auto whole = static_cast<int32_t>(product);
    const double rest = product - whole;
    if (rest == 0.5) return HundredthsOfHalf(value);
    return static_cast<uint32_t>(whole + (rest > 0.5));
  }
  static uint32_t HundredthsOfHalf(double value);
  void AnyInteger(uint64_t value, size_t width);
  void AnyFixed(double value, size_t width, int decimals);

  // Columns are narrow: a few instructions blank a column of any width, and the number is written
  // into it.
  static constexpr size_t kColumn = 32;
  void Blank() {
    Reserve(kColumn);
    std::memset(end_, ' ', kColumn);
  }

  // Ensures capacity for `bytes` more bytes behind `end_`.
  void Reserve(size_t bytes) {
    if (static_cast<size_t>(limit_ - end_) < bytes) Grow(bytes);
  }
  void Grow(size_t bytes);

  std::unique_ptr<char[]> bytes_;
  char* end_ = nullptr;    // of the text
  char* limit_ = nullptr;  // of the memory
};

// Takes the text piece by piece, in order.
using TextSink = absl::FunctionRef<void(absl::string_view)>;

// Formats `count` items and passes the text to `sink` in their order, for any number of processors.
// `format` appends the items [begin, end) to the buffer; it is called from two threads at once for
// disjoint ranges. Memory stays within a few ranges' text. `sink` is called by one thread at a
// time.
void FormatInOrder(size_t count, size_t items_per_piece,
                   absl::FunctionRef<void(size_t begin, size_t end, TextBuffer& out)> format,
                   TextSink sink);

}  // namespace gprofhub::analyzer
