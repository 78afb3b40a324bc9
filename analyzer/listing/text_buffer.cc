// A number with two decimals is the nearest integer to 100 times it, shifted.
// The product p = 100 * x is rounded. If p is a half, p alone does not determine on which side of
// the half the true product lies. This is the only ambiguous case: p and its distance from a half
// are multiples of p's last place, and the rounding error is at most half of one. There the error
// is computed exactly (Dekker's product of the two halves of x), and an exact tie goes to the even
// neighbour, as printf's does.
#include "analyzer/listing/text_buffer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "base/parallel.h"

namespace gprofhub::analyzer {

constexpr std::array<char, 40000> kPaddedToFour = [] {
  std::array<char, 40000> text{};
  for (int number = 0; number < 10000; ++number) {
    int rest = number;
    for (int place = 3; place >= 0; --place, rest /= 10) {
      const bool is_digit = rest > 0 || place == 3;
      text[4 * number + place] = static_cast<char>(is_digit ? '0' + rest % 10 : ' ');
    }
  }
  return text;
}();

namespace {

// 1e12 * 1000 < 2^50: products below it keep three bits behind the point.
constexpr double kLargestFast = 1e12;
constexpr std::array<double, 4> kScales = {1, 10, 100, 1000};
// Writes `value` so that it ends before `end`; returns where it begins.
char* WriteDigits(uint64_t value, char* end) {
  while (value >= 100) {
    end -= 2;
    std::memcpy(end, &kTwoDigits[2 * (value % 100)], 2);
    value /= 100;
  }
  if (value >= 10) {
    end -= 2;
    std::memcpy(end, &kTwoDigits[2 * value], 2);
    return end;
  }
  *--end = static_cast<char>('0' + value);
  return end;
}

constexpr std::array<uint64_t, 20> kPowersOfTen = [] {
  std::array<uint64_t, 20> powers{};
  uint64_t power = 1;
  for (uint64_t& each : powers) {
    each = power;
    power *= 10;
  }
  return powers;
}();

size_t CountDigits(uint64_t value) {
  // 1233 / 4096 is the decimal logarithm of 2, near enough for 64 bits.
  const auto digits = static_cast<size_t>(std::bit_width(value) * 1233 >> 12);
  return digits + (value >= kPowersOfTen[digits] || value == 0);
}

// The integer nearest to value * scale, for 0 <= value < kLargestFast.
uint64_t RoundedProduct(double value, double scale) {
  const double product = value * scale;
  const auto whole = static_cast<uint64_t>(product);
  const double rest = product - static_cast<double>(whole);
  if (rest != 0.5) return whole + (rest > 0.5);
  constexpr double kSplit = 134217729;  // 2^27 + 1
  const double shifted = value * kSplit;
  const double high = shifted - (shifted - value);
  const double low = value - high;
  const double error = (high * scale - product) + low * scale;
  if (error != 0) return whole + (error > 0);
  return whole + (whole & 1);
}

}  // namespace

void TextBuffer::Grow(size_t bytes) {
  const size_t used = size();
  const size_t capacity = std::max(2 * used, used + bytes) + 1024;
  std::unique_ptr<char[]> grown = std::make_unique_for_overwrite<char[]>(capacity);
  if (used > 0) std::memcpy(grown.get(), bytes_.get(), used);
  bytes_ = std::move(grown);
  end_ = bytes_.get() + used;
  limit_ = bytes_.get() + capacity;
}

void TextBuffer::Padded(absl::string_view text, size_t width) {
  if (text.size() < width) Spaces(width - text.size());
  Append(text);
}

void TextBuffer::PaddedRight(absl::string_view text, size_t width) {
  Append(text);
  if (text.size() < width) Spaces(width - text.size());
}

void TextBuffer::AnyInteger(uint64_t value, size_t width) {
  const size_t length = std::max(width, CountDigits(value));
  if (length > kColumn) {
    Spaces(length - kColumn);
    return AnyInteger(value, kColumn);
  }
  Blank();
  end_ += length;
  WriteDigits(value, end_);
}

void TextBuffer::IntegerRight(uint64_t value, size_t width) {
  const size_t digits = CountDigits(value);
  Blank();
  WriteDigits(value, end_ + digits);
  end_ += digits;
  if (width > digits) Spaces(width - digits);
}

uint32_t TextBuffer::HundredthsOfHalf(double value) {
  return static_cast<uint32_t>(RoundedProduct(value, 100));
}

void TextBuffer::AnyFixed(double value, size_t width, int decimals) {
  if (decimals < 1 || decimals > 3 || !(std::fabs(value) < kLargestFast)) {
    char text[512];
    const int length = std::snprintf(text, sizeof text, "%.*f", decimals, value);
    Padded({text, std::min<size_t>(static_cast<size_t>(length), sizeof text - 1)}, width);
    return;
  }
  const uint64_t product = RoundedProduct(std::fabs(value), kScales[decimals]);
  const bool is_negative = std::signbit(value);
  const uint64_t scale = kPowersOfTen[static_cast<size_t>(decimals)];
  const uint64_t whole = product / scale;
  uint64_t fraction = product - whole * scale;
  const size_t number = is_negative + CountDigits(whole) + 1 + static_cast<size_t>(decimals);
  const size_t length = std::max(width, number);
  if (length > kColumn) {
    Spaces(length - kColumn);
    return AnyFixed(value, kColumn, decimals);
  }
  Blank();
  end_ += length;
  char* at = end_;
  for (int i = 0; i < decimals; ++i) {
    *--at = static_cast<char>('0' + fraction % 10);
    fraction /= 10;
  }
  *--at = '.';
  at = WriteDigits(whole, at);
  if (is_negative) *--at = '-';
}

void FormatInOrder(size_t count, size_t items_per_piece,
                   absl::FunctionRef<void(size_t begin, size_t end, TextBuffer& out)> format,
                   TextSink sink) {
  items_per_piece = std::max<size_t>(items_per_piece, 1);
  const size_t pieces = (count + items_per_piece - 1) / items_per_piece;
  base::WorkInOrder(pieces, [&](base::OrderedItems& items) {
    TextBuffer buffer;
    while (const std::optional<size_t> piece = items.Take()) {
      buffer.Clear();
      format(*piece * items_per_piece, std::min(count, (*piece + 1) * items_per_piece), buffer);
      items.WaitForTurn(*piece);
      sink(buffer.text());
      items.EndTurn(*piece);
    }
  });
}

}  // namespace gprofhub::analyzer
