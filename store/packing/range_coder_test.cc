#include "store/packing/range_coder.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace gprofhub::store {
namespace {

std::string Encode(const std::vector<uint64_t>& numbers) {
  RangeEncoder encoder;
  NumberModel model;
  for (const uint64_t number : numbers) encoder.Number(model, number);
  return encoder.Take();
}

void ExpectRead(const std::vector<uint64_t>& numbers, absl::string_view bytes) {
  RangeDecoder decoder(bytes);
  NumberModel model;
  for (const uint64_t number : numbers) ASSERT_EQ(decoder.Number(model), number);
  EXPECT_FALSE(decoder.overrun());
}

TEST(RangeCoderTest, NumbersOfAllLengthsComeBack) {
  std::vector<uint64_t> numbers = {0, ~uint64_t{0}};
  for (int bits = 0; bits < 64; ++bits) {
    for (const uint64_t less : {0, 1}) numbers.push_back((uint64_t{1} << bits) - less);
  }
  ExpectRead(numbers, Encode(numbers));
}

TEST(RangeCoderTest, NumbersByChanceComeBackWhateverIsCarried) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<uint64_t> numbers(seed);
    for (uint64_t& number : numbers) number = random() >> random() % 64;
    ExpectRead(numbers, Encode(numbers));
  }
}

TEST(RangeCoderTest, WhatIsAlwaysTheSameTakesNearlyNothing) {
  const std::vector<uint64_t> numbers(10'000, 0);
  const std::string bytes = Encode(numbers);
  EXPECT_LT(bytes.size(), 12u);
  ExpectRead(numbers, bytes);
}

TEST(RangeCoderTest, GapsByChanceTakeWhatTheirEntropyIs) {
  std::mt19937_64 random(1);
  std::geometric_distribution<uint64_t> gap(0.12);
  std::vector<uint64_t> numbers(10'000);
  for (uint64_t& number : numbers) number = gap(random);
  const std::string bytes = Encode(numbers);
  EXPECT_LT(bytes.size(), 10'000 * 4.42 / 8 * 1.03);  // H(0.12) / 0.12 bits each
  ExpectRead(numbers, bytes);
}

TEST(RangeCoderTest, WhoReadsBeyondTheEndIsTold) {
  RangeDecoder decoder("ab");
  NumberModel model;
  for (int i = 0; i < 100; ++i) decoder.Number(model);
  EXPECT_FALSE(RangeDecoder("").overrun()) << "an encoder leaves out zeros at the end";
  for (int i = 0; i < 100; ++i) decoder.Plain(64);
  EXPECT_TRUE(decoder.overrun());
}

}  // namespace
}  // namespace gprofhub::store
