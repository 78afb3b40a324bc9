#include "profile/codec/symbol_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/symbols.pb.h"

namespace gprofhub::profile {

namespace {

TEST(WireReaderTest, ReadsWhatProtobufWrites) {
  v1::SymbolBundle bundle;
  bundle.set_build_id("00ff");
  bundle.set_text_low(uint64_t{1} << 63);
  bundle.mutable_functions()->add_code(7);
  const std::string bytes = bundle.SerializeAsString();
  WireReader reader(bytes);
  WireField field;
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.number, 1u);
  EXPECT_EQ(field.bytes, "00ff");
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.number, 4u);
  EXPECT_EQ(field.value, uint64_t{1} << 63);
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.number, 7u);
  EXPECT_EQ(field.type, WireType::kDelimited);
  EXPECT_FALSE(reader.Next(field));
  EXPECT_FALSE(reader.failed());
}

TEST(WireReaderTest, FailsAtWhatIsNoMessage) {
  for (const std::string& bytes :
       {std::string("\x0a\x05gone"), std::string("\x0b\x0c"), std::string("\x00\x01", 2),
        std::string("\x08"), std::string("\x0d\x01\x02"), std::string("\x09\x01"),
        std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), std::string("\x0f\x01")}) {
    WireReader reader(bytes);
    WireField field;
    while (reader.Next(field)) {
    }
    EXPECT_TRUE(reader.failed());
  }
}

TEST(PackedColumnTest, ReadsWhatProtobufWrites) {
  // Of each length, first and last, so that fewer than eight bytes may follow.
  std::vector<uint64_t> numbers = {0, 1, 127, 128, 300, UINT32_MAX, UINT64_MAX};
  for (int bits = 0; bits < 64; ++bits) {
    numbers.push_back(uint64_t{1} << bits);
    numbers.push_back(0x5a5a5a5a5a5a5a5a >> bits);
  }
  v1::FunctionColumns columns;
  for (const uint64_t number : numbers) columns.add_address_delta(number);
  const std::string bytes = columns.SerializeAsString();
  WireReader reader(bytes);
  WireField field;
  ASSERT_TRUE(reader.Next(field));
  PackedColumn column(field.bytes, WireType::kVarint);
  ASSERT_EQ(column.rows(), numbers.size());
  for (const uint64_t number : numbers) {
    uint64_t read = 0;
    ASSERT_TRUE(column.Next(read));
    EXPECT_EQ(read, number);
  }
  uint64_t more = 0;
  EXPECT_FALSE(column.Next(more));
}

TEST(PackedColumnTest, KnowsWhatIsCut) {
  EXPECT_FALSE(PackedColumn("\x01\x80", WireType::kVarint).well_formed());
  EXPECT_FALSE(PackedColumn("12345", WireType::kFixed32).well_formed());
  EXPECT_EQ(PackedColumn("12345678", WireType::kFixed32).rows(), 2u);
}

TEST(PackedColumnTest, OfNumbersOfEightBytes) {
  const std::string bytes("\1\0\0\0\0\0\0\x80\2\0\0\0\0\0\0\0", 16);
  PackedColumn column(bytes, WireType::kFixed64);
  ASSERT_EQ(column.rows(), 2u);
  uint64_t value = 0;
  ASSERT_TRUE(column.Next(value));
  EXPECT_EQ(value, 0x8000000000000001u);
  ASSERT_TRUE(column.Next(value));
  EXPECT_EQ(value, 2u);
  EXPECT_FALSE(column.Next(value));
  EXPECT_FALSE(PackedColumn("1234567", WireType::kFixed64).well_formed());
}

TEST(WireTableTest, HasColumnsByTheirNumber) {
  std::string bytes("\x0a\2\7\x08", 4);         // 1: 7, 8
  bytes += std::string("\xa2\1\4\5\0\0\0", 7);  // 20: 5
  bytes += std::string("\xf2\1\1x", 4);         // 30 is of a later version
  absl::StatusOr<WireTable> table = WireTable::Read(bytes);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ((*table)[1].rows(), 2u);
  EXPECT_EQ((*table)[2].rows(), 0u);
  uint64_t value = 0;
  ASSERT_TRUE((*table)[20].Next(value));
  EXPECT_EQ(value, 5u);
}

TEST(WireTableTest, SaysWhatIsWrong) {
  const auto error = [](absl::string_view bytes, uint32_t doubles = 0) {
    return std::string(WireTable::Read(bytes, doubles).status().message());
  };
  EXPECT_EQ(error(absl::string_view("\x08\7", 2)), "column 1 is not packed in a single field");
  EXPECT_EQ(error("\x0a\1\7\x0a\1\7"), "column 1 is not packed in a single field");
  EXPECT_EQ(error("\x0a\1\x80"), "column 1 is truncated");
  EXPECT_EQ(error("\x0a\1\7", 2), "column 1 is truncated") << "it has doubles";
  EXPECT_EQ(error("\x0a\7\7"), "is not a message");
}

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
