#include "profile/codec/wire.h"

#include <gtest/gtest.h>

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
  const std::vector<uint64_t> numbers = {0, 1, 127, 128, 300, UINT32_MAX, UINT64_MAX};
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
  EXPECT_EQ(error(absl::string_view("\x08\7", 2)), "column 1 is not packed as a whole");
  EXPECT_EQ(error("\x0a\1\7\x0a\1\7"), "column 1 is not packed as a whole");
  EXPECT_EQ(error("\x0a\1\x80"), "column 1 is cut off");
  EXPECT_EQ(error("\x0a\1\7", 2), "column 1 is cut off") << "it has doubles";
  EXPECT_EQ(error("\x0a\7\7"), "is not a message");
}

}  // namespace
}  // namespace gprofhub::profile
