#include "analyzer/listing/text_buffer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

namespace gprofhub::analyzer {

namespace {

std::string Printf(double value, int width, int decimals) {
  char text[512];
  std::snprintf(text, sizeof text, "%*.*f", width, decimals, value);
  return text;
}

std::string Fixed(double value, int width, int decimals) {
  TextBuffer out;
  out.Fixed(value, width, decimals);
  return out.Take();
}

TEST(TextBufferTest, FixedRoundsAsPrintfDoes) {
  std::vector<double> values = {0, -0.0, 0.005, 0.015, 0.125, 0.375, 2.5, 1e12, 1e13, 1e300, 0.9999,
                                9.99999, 99.95, 1e-9, 0.045,
                                // Where columns of seven characters become too narrow.
                                9998.994, 9998.995, 9998.996, 9999, 9999.004, 9999.005, 9999.995,
                                10000};
  values.push_back(std::numeric_limits<double>::infinity());
  values.push_back(std::numeric_limits<double>::quiet_NaN());
  values.push_back(std::numeric_limits<double>::denorm_min());
  // Halves of the last decimal, and their neighbours on either side.
  for (int i = 0; i < 200000; ++i) {
    const double half = (2 * i + 1) / 200.0;
    values.push_back(half);
    values.push_back(std::nextafter(half, 0));
    values.push_back(std::nextafter(half, 1e9));
    values.push_back(i / 64.0);
  }
  uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    // All printed magnitudes, and some beyond.
    const double value =
        std::ldexp(static_cast<double>(state >> 11), -static_cast<int>(state % 70));
    values.push_back(i % 2 == 0 ? value : -value);
  }
  for (const double value : values) {
    for (const int decimals : {0, 1, 2, 3, 6}) {
      ASSERT_EQ(Fixed(value, 8, decimals), Printf(value, 8, decimals)) << value;
    }
    for (const int width : {0, 6, 7, 11, 33}) {
      ASSERT_EQ(Fixed(value, width, 2), Printf(value, width, 2)) << value;
    }
  }
}

TEST(TextBufferTest, IntegersOfAnyLengthFillTheirColumns) {
  std::vector<uint64_t> values = {0, std::numeric_limits<uint64_t>::max()};
  for (uint64_t power = 10; power < 1e19; power *= 10) {
    values.insert(values.end(), {power - 1, power, power + 1, power / 7 * 3});
  }
  for (const uint64_t value : values) {
    for (const int width : {0, 1, 6, 7, 8, 12, 33}) {
      TextBuffer out;
      out.Append('|');
      out.Integer(value, static_cast<size_t>(width));
      char text[64];
      std::snprintf(text, sizeof text, "|%*llu", width, static_cast<unsigned long long>(value));
      ASSERT_EQ(out.Take(), text);
    }
  }
}

TEST(TextBufferTest, NumbersAndTextArePadded) {
  TextBuffer out;
  out.Append(absl::string_view());
  out.Integer(0);
  out.Integer(42, 5);
  out.Append('|');
  out.IntegerRight(7, 3);
  out.Append('|');
  out.Integer(UINT64_MAX, 3);
  out.Padded("ab", 4);
  out.PaddedRight("cd", 4);
  out.Padded("longer", 2);
  out.Integer(5, 40);
  out.Spaces(50);
  EXPECT_EQ(out.text(), "0   42|7  |18446744073709551615  abcd  longer" + std::string(39, ' ') +
                            "5" + std::string(50, ' '));
  EXPECT_EQ(Fixed(-1.5, 50, 2), Printf(-1.5, 50, 2));
}

TEST(FormatInOrderTest, PiecesStandInOrder) {
  for (const size_t count : {0, 1, 10, 100000}) {
    std::string expected;
    for (size_t i = 0; i < count; ++i) expected += std::to_string(i) + "\n";
    std::string text;
    FormatInOrder(
        count, 7,
        [](size_t begin, size_t end, TextBuffer& out) {
          for (size_t i = begin; i < end; ++i) {
            out.Integer(i);
            out.Append('\n');
          }
        },
        [&text](absl::string_view piece) { text.append(piece.data(), piece.size()); });
    EXPECT_EQ(text, expected);
  }
}

}  // namespace

}  // namespace gprofhub::analyzer
