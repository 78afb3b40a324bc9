#include "profile/codec/packed_ints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace gprofhub::profile {
namespace {

using ::testing::Le;
using ::testing::SizeIs;

std::string Packed(const std::vector<uint64_t>& numbers) {
  std::string bytes;
  AppendPacked(numbers, bytes);
  return bytes;
}

void ExpectSame(const std::vector<uint64_t>& numbers) {
  const std::string bytes = Packed(numbers) + "rest";
  absl::string_view rest = bytes;
  std::vector<uint64_t> again;
  ASSERT_TRUE(TakePacked(rest, numbers.size(), again));
  EXPECT_EQ(again, numbers);
  EXPECT_EQ(rest, "rest");
}

TEST(PackedInts, NumbersOfAnySizeComeBack) {
  ExpectSame({});
  ExpectSame({0});
  ExpectSame({UINT64_MAX, 0, UINT64_MAX, 1});
  std::mt19937_64 random(1);
  for (int bits = 0; bits <= 64; ++bits) {
    for (const size_t count : {1, 63, 64, 65, 256}) {
      std::vector<uint64_t> numbers;
      for (size_t i = 0; i < count; ++i) {
        const uint64_t number = random();
        numbers.push_back(bits == 0 ? 7 : number >> (64 - bits));
      }
      ExpectSame(numbers);
    }
  }
}

TEST(PackedInts, CountsThatRepeatTakeAFewBytesInAll) {
  std::vector<uint64_t> numbers(200, 155'620);
  numbers.resize(256, 239'477);
  EXPECT_THAT(Packed(numbers), SizeIs(Le(11)));
}

TEST(PackedInts, NumbersAboutALevelTakeTheBitsOfTheirSpread) {
  std::mt19937_64 random(2);
  std::vector<uint64_t> numbers;
  for (int i = 0; i < 256; ++i) numbers.push_back(1'000'000 + random() % 64);
  EXPECT_THAT(Packed(numbers), SizeIs(Le(256 * 6 / 8 + 4 * 5 + 1)));
}

TEST(PackedInts, WholeSamplesTakeNoBitsForTheirFractions) {
  std::mt19937_64 random(3);
  std::vector<uint64_t> numbers;
  for (int i = 0; i < 64; ++i) numbers.push_back((500 + random() % 64) * 1024);
  EXPECT_THAT(Packed(numbers), SizeIs(Le(64 * 6 / 8 + 3 + 2 + 1)));
}

TEST(PackedInts, BytesThatAreNoColumnAreRefused) {
  std::vector<uint64_t> numbers;
  const auto taken = [&numbers](absl::string_view bytes, size_t count) {
    return TakePacked(bytes, count, numbers);
  };
  EXPECT_FALSE(taken("", 1));
  EXPECT_FALSE(taken("\x02", 0));                                // unknown form
  EXPECT_FALSE(taken(absl::string_view("\0\x05\0", 3), 1));      // zero repetitions
  EXPECT_FALSE(taken(absl::string_view("\0\x05\x02", 3), 1));    // more repetitions than numbers
  EXPECT_FALSE(taken(absl::string_view("\x01\0\0\x41", 4), 1));  // 65 bits
  EXPECT_FALSE(taken(absl::string_view("\x01\0\x40\0", 4), 1));  // 64 zeros
  EXPECT_FALSE(taken(absl::string_view("\x01\0\0\x08", 4), 1));  // the difference is missing
  const std::string largest(9, '\xff');
  const std::string overflow = "\x01" + largest + std::string("\x01\0\x01\x01", 4);
  EXPECT_FALSE(taken(overflow, 1));
  const std::string whole = Packed({1, 2, 3, 400'000, 5});
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(taken(whole.substr(0, size), 5)) << size;
  }
}

}  // namespace
}  // namespace gprofhub::profile
