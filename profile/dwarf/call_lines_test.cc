#include "profile/dwarf/call_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "profile/testing/dwarf_builder.h"

namespace gprofhub::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t kLow = 0x1000;
constexpr uint64_t kHigh = 0x1100;

// Code at kLow + low that is inlined by the call in that line.
std::vector<DwarfAttribute> Inlined(uint64_t low, uint64_t high, uint64_t line, uint64_t file = 1) {
  return Code(kLow + low, kLow + high,
              {Number(DW_AT_call_line, line), Number(DW_AT_call_file, file)});
}

absl::StatusOr<SymbolTable> Read(const DwarfBuilder& dwarf, const std::string& lines,
                                 const std::string& more = "") {
  ElfBuilder elf;
  elf.Add({".debug_info", SHT_PROGBITS, 0, 0, dwarf.Info() + more});
  elf.Add({".debug_abbrev", SHT_PROGBITS, 0, 0, dwarf.Abbreviations()});
  elf.Add({".debug_line", SHT_PROGBITS, 0, 0, lines});
  const auto file = OpenElfBytes(elf.Bytes(), "dir/program");
  if (!file.ok()) return file.status();
  SymbolTable symbols;
  symbols.text_low = kLow;
  symbols.text_high = kHigh;
  if (absl::Status status = ReadDwarfCallLines(**file, symbols); !status.ok()) return status;
  return symbols;
}

// "ADDRESS FILE:LINE" of each row.
std::vector<std::string> CallLines(const DwarfBuilder& dwarf,
                                   const std::string& lines = BuiltLineTable("")) {
  const absl::StatusOr<SymbolTable> symbols = Read(dwarf, lines);
  EXPECT_TRUE(symbols.ok()) << symbols.status();
  std::vector<std::string> rows;
  for (const LineRow& row : symbols->call_lines) {
    rows.push_back(
        absl::StrCat(row.address - kLow, " ", symbols->files.at(row.file), ":", row.line));
  }
  return rows;
}

const std::vector<DwarfAttribute> kUnit = {Offset(DW_AT_stmt_list, 0)};

TEST(CallLines, AreThoseOfTheOutermostInlinedFunctions) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(kUnit);
  dwarf.Begin(DW_TAG_subprogram, Code(kLow, kLow + 100));
  dwarf.Begin(DW_TAG_inlined_subroutine, Inlined(10, 50, 7));
  dwarf.Leaf(DW_TAG_inlined_subroutine, Inlined(20, 30, 1000, 2));
  dwarf.End();
  dwarf.Begin(DW_TAG_lexical_block);
  dwarf.Leaf(DW_TAG_inlined_subroutine, Inlined(60, 70, 8, 2));
  dwarf.End();
  dwarf.End();
  dwarf.EndUnit();
  EXPECT_THAT(CallLines(dwarf), ElementsAre("10 src/a.c:7", "50 :0", "60 src/b.c:8", "70 :0"));
}

TEST(CallLines, OfCodeSideBySideFollowOnEachOther) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(kUnit);
  dwarf.Leaf(DW_TAG_inlined_subroutine, Inlined(20, 30, 2));
  dwarf.Leaf(DW_TAG_inlined_subroutine, Inlined(10, 20, 1));
  dwarf.EndUnit();
  EXPECT_THAT(CallLines(dwarf), ElementsAre("10 src/a.c:1", "20 src/a.c:2", "30 :0"));
}

// No compiler writes such ranges.
TEST(CallLines, OfCodeThatOverlapsAreThoseOfWhatBeginsFirst) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(kUnit);
  dwarf.Leaf(DW_TAG_inlined_subroutine, Inlined(10, 30, 1));
  dwarf.Leaf(DW_TAG_inlined_subroutine, Inlined(20, 40, 2));
  dwarf.Leaf(DW_TAG_inlined_subroutine, Inlined(10, 20, 3));
  dwarf.EndUnit();
  EXPECT_THAT(CallLines(dwarf), ElementsAre("10 src/a.c:1", "30 :0"));
}

TEST(CallLines, WithoutATableOrAFileInItHaveNoFile) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit({Offset(DW_AT_stmt_list, 5)});
  dwarf.Leaf(DW_TAG_inlined_subroutine, Inlined(10, 20, 1));
  dwarf.EndUnit();
  dwarf.BeginUnit();
  dwarf.Leaf(DW_TAG_inlined_subroutine, Inlined(30, 40, 2));
  dwarf.EndUnit();
  dwarf.BeginUnit(kUnit);
  dwarf.Leaf(DW_TAG_inlined_subroutine, Inlined(50, 60, 3, UINT64_MAX));
  dwarf.EndUnit();
  EXPECT_THAT(CallLines(dwarf), ElementsAre("10 :1", "20 :0", "30 :2", "40 :0", "50 :3", "60 :0"));
}

TEST(CallLines, ThatAreNoLinesAreLeftOut) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(kUnit);
  dwarf.Leaf(DW_TAG_inlined_subroutine, Inlined(10, 20, uint64_t{1} << 32 | 7));
  dwarf.Leaf(DW_TAG_inlined_subroutine, Inlined(30, 40, UINT32_MAX));
  dwarf.Leaf(DW_TAG_inlined_subroutine, Inlined(90, 99, 0));
  dwarf.Leaf(DW_TAG_inlined_subroutine, Inlined(50, 60, INT32_MAX));
  dwarf.Leaf(DW_TAG_inlined_subroutine, Code(kLow + 70, kLow + 80));
  dwarf.EndUnit();
  EXPECT_THAT(CallLines(dwarf), ElementsAre("50 src/a.c:2147483647", "60 :0"));
}

TEST(CallLines, OutsideOfTheCodeAreLeftOut) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(kUnit);
  dwarf.Leaf(DW_TAG_inlined_subroutine, Inlined(-1, 10, 1));
  dwarf.Leaf(DW_TAG_inlined_subroutine, Inlined(250, 257, 2));
  dwarf.EndUnit();
  EXPECT_THAT(CallLines(dwarf), IsEmpty());
}

TEST(CallLines, OfDamagedUnitsAndTablesAreAnError) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(kUnit);
  dwarf.EndUnit();
  EXPECT_EQ(Read(dwarf, BuiltLineTable(""),
                 "\x20"
                 "damage")
                .status()
                .code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(Read(dwarf, BuiltLineTable("") + "damage").status().code(),
            absl::StatusCode::kDataLoss);
}

TEST(CallLines, WithoutDebugInformationAreNone) {
  const auto file = OpenElfBytes(ElfBuilder().Bytes(), "dir/program");
  ASSERT_TRUE(file.ok()) << file.status();
  SymbolTable symbols;
  EXPECT_TRUE(ReadDwarfCallLines(**file, symbols).ok());
  EXPECT_THAT(symbols.call_lines, IsEmpty());
}

}  // namespace
}  // namespace gprofhub::profile
