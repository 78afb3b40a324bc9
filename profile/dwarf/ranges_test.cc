#include "profile/dwarf/ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "profile/dwarf/files.h"
#include "profile/testing/dwarf_builder.h"

namespace gprofhub::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

using RangeList = std::vector<std::pair<uint64_t, uint64_t>>;

std::string Bytes(const RangeList& list) {
  std::string bytes;
  for (const auto& [low, high] : list) bytes += LittleEndian(low, 8) + LittleEndian(high, 8);
  return bytes + std::string(16, '\0');
}

struct Result {
  RangeList ranges;
  absl::Status status;
};

// Reads the ranges of the unit's own entry this many times.
Result RangesOf(const std::vector<DwarfAttribute>& attributes, const RangeList& list = {},
                int times = 1) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(attributes);
  dwarf.EndUnit();
  ElfBuilder elf;
  dwarf.AddTo(elf);
  elf.Add({".debug_ranges", SHT_PROGBITS, 0, 0, Bytes(list)});
  const auto file = OpenElfBytes(elf.Bytes(), "dir/program");
  EXPECT_TRUE(file.ok()) << file.status();
  DwarfRanges ranges(**file);
  const DwarfHandle handle = OpenDwarf(**file);
  Result result;
  const absl::Status status = ForEachDwarfUnit(**file, handle.get(), [&](Dwarf_Die* unit) {
    for (int i = 0; i < times; ++i) {
      ranges.ForEach(unit,
                     [&](uint64_t low, uint64_t high) { result.ranges.emplace_back(low, high); });
    }
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(ranges.debug_bytes(),
            dwarf.Info().size() + dwarf.Abbreviations().size() + Bytes(list).size());
  result.status = ranges.status();
  return result;
}

TEST(DwarfRanges, AreOneOrAList) {
  EXPECT_THAT(RangesOf(Code(16, 32)).ranges, ElementsAre(Pair(16, 32)));
  EXPECT_THAT(
      RangesOf({Address(DW_AT_low_pc, 0), Offset(DW_AT_ranges, 0)}, {{16, 32}, {1, 2}}).ranges,
      ElementsAre(Pair(16, 32), Pair(1, 2)));
  EXPECT_THAT(RangesOf({}).ranges, IsEmpty());
}

TEST(DwarfRanges, ThatAreEmptyAreLeftOut) {
  EXPECT_THAT(RangesOf(Code(16, 16)).ranges, IsEmpty());
  EXPECT_THAT(
      RangesOf({Address(DW_AT_low_pc, 0), Offset(DW_AT_ranges, 0)}, {{5, 5}, {16, 32}, {9, 9}})
          .ranges,
      ElementsAre(Pair(16, 32)));
}

TEST(DwarfRanges, OfAListBeyondTheSectionAreNone) {
  for (const uint64_t offset : {48u, 0xffffffffu}) {
    const Result result =
        RangesOf({Address(DW_AT_low_pc, 0), Offset(DW_AT_ranges, offset)}, {{16, 32}, {1, 2}});
    EXPECT_THAT(result.ranges, IsEmpty()) << offset;
    EXPECT_TRUE(result.status.ok()) << result.status;
  }
}

TEST(DwarfRanges, AreAThousandAtLeastWhateverTheSize) {
  EXPECT_TRUE(RangesOf(Code(16, 32), {}, 1000).status.ok());
}

TEST(DwarfRanges, AreNotReadAgainAndAgain) {
  const RangeList list(240, {16, 32});
  const auto read = [&](int times) {
    return RangesOf({Address(DW_AT_low_pc, 0), Offset(DW_AT_ranges, 0)}, list, times);
  };
  EXPECT_TRUE(read(4).status.ok());
  const Result result = read(100);
  // One for each 24 of about 3,900 bytes, and a thousand.
  EXPECT_LT(result.ranges.size(), 1200u);
  EXPECT_EQ(result.status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(result.status.message()),
              HasSubstr("dir/program: the entries of .debug_info name more ranges of code"));
}

// The number of ranges equals the limit.
TEST(DwarfRanges, AreNoDamageUpToTheLimit) {
  size_t most = 0;
  for (int times = 1000; times < 1100 && most == 0; ++times) {
    if (!RangesOf(Code(16, 32), {}, times + 1).status.ok()) most = times;
  }
  ASSERT_GT(most, 0u);
  EXPECT_EQ(RangesOf(Code(16, 32), {}, 2000).ranges.size(), most);
}

}  // namespace
}  // namespace gprofhub::profile
