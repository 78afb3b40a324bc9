#include "profile/dwarf/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/testing/dwarf_builder.h"

namespace gprofhub::profile {
namespace {

using ::testing::HasSubstr;

absl::Status Check(const std::string& info, const std::string& abbreviations,
                   bool needs_all_units = true) {
  ElfBuilder elf;
  elf.Add({".debug_info", SHT_PROGBITS, 0, 0, info});
  elf.Add({".debug_abbrev", SHT_PROGBITS, 0, 0, abbreviations});
  const auto file = OpenElfBytes(elf.Bytes(), "dir/program");
  EXPECT_TRUE(file.ok()) << file.status();
  return CheckDwarfShape(**file, needs_all_units);
}

// Units that all refer to one table.
DwarfBuilder Units(int count, int entries_of_the_first) {
  DwarfBuilder dwarf;
  for (int i = 0; i < count; ++i) {
    dwarf.BeginUnit();
    for (int k = 0; i == 0 && k < entries_of_the_first; ++k) {
      dwarf.Leaf(DW_TAG_variable, {Number(DW_AT_decl_line, 1)});
    }
    dwarf.EndUnit();
  }
  return dwarf;
}

TEST(DwarfShape, OfWhatCompilersWriteIsSound) {
  const DwarfBuilder dwarf = Units(3, 10);
  EXPECT_TRUE(Check(dwarf.Info(), dwarf.Abbreviations()).ok());
}

TEST(DwarfShape, OfManyUnitsThatNameOneLargeTableIsDamage) {
  const DwarfBuilder small = Units(100, 100);
  EXPECT_TRUE(Check(small.Info(), small.Abbreviations()).ok());
  const DwarfBuilder large = Units(1000, 1000);
  const absl::Status status = Check(large.Info(), large.Abbreviations());
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("dir/program: the units of .debug_info name more than "));
}

TEST(DwarfShape, OfDamagedUnitsIsDamageWhereAllAreNeeded) {
  const DwarfBuilder dwarf = Units(2, 1);
  std::string info = dwarf.Info();
  info.replace(0, 4, "\xf0\xff\xff\xff");  // not a valid length, by section 7.4 of DWARF 5
  EXPECT_TRUE(Check(info, dwarf.Abbreviations(), false).ok());
  const absl::Status status = Check(info, dwarf.Abbreviations(), true);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("dir/program: .debug_info is damaged"));
}

TEST(DwarfShape, TakesTablesWithoutEnd) {
  const DwarfBuilder dwarf = Units(1, 1);
  const std::string table = dwarf.Abbreviations();
  for (size_t size = 1; size < table.size(); ++size) {
    EXPECT_TRUE(Check(dwarf.Info(), table.substr(0, size)).ok()) << size;
  }
}

TEST(DwarfShape, WithoutDebugInformationIsSound) {
  const auto file = OpenElfBytes(ElfBuilder().Bytes(), "dir/program");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(CheckDwarfShape(**file, true).ok());
}

}  // namespace
}  // namespace gprofhub::profile
