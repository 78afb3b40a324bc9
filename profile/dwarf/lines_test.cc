#include "profile/dwarf/lines.h"

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

absl::StatusOr<SymbolTable> Read(const std::string& lines, const LineReadOptions& options = {},
                                 const std::vector<uint64_t>& functions = {}) {
  ElfBuilder elf;
  elf.Add({".debug_line", SHT_PROGBITS, 0, 0, lines});
  const auto file = OpenElfBytes(elf.Bytes(), "dir/program");
  if (!file.ok()) return file.status();
  SymbolTable symbols;
  symbols.text_low = kLow;
  symbols.text_high = kHigh;
  for (const uint64_t address : functions) {
    symbols.functions.emplace_back();
    symbols.functions.back().address = kLow + address;
  }
  if (absl::Status status = ReadDwarfLines(**file, symbols, options); !status.ok()) return status;
  return symbols;
}

// "ADDRESS FILE:LINE" of each row.
std::vector<std::string> Lines(const std::string& lines, const LineReadOptions& options = {}) {
  const absl::StatusOr<SymbolTable> symbols = Read(lines, options);
  EXPECT_TRUE(symbols.ok()) << symbols.status();
  std::vector<std::string> rows;
  for (const LineRow& row : symbols->lines) {
    rows.push_back(
        absl::StrCat(row.address - kLow, " ", symbols->files.at(row.file), ":", row.line));
  }
  return rows;
}

// "FILE:LINE" of functions at these addresses.
std::vector<std::string> Functions(const std::string& lines,
                                   const std::vector<uint64_t>& addresses) {
  const absl::StatusOr<SymbolTable> symbols = Read(lines, {}, addresses);
  EXPECT_TRUE(symbols.ok()) << symbols.status();
  std::vector<std::string> names;
  for (const FunctionSymbol& function : symbols->functions) {
    names.push_back(absl::StrCat(symbols->files.at(function.file), ":", function.line));
  }
  return names;
}

std::string At(uint64_t address) { return LineRowsAt(kLow + address); }

TEST(DwarfLines, AreThoseOfAllSequencesByAddress) {
  const std::string program = At(50) + LineRowOf(1, 4) + LineRowsAdvance(10) + LineRowsEnd() +
                              At(10) + LineRowOf(2, 0) + LineRowsAdvance(5) + LineRowOf(2, 1) +
                              LineRowsAdvance(5) + LineRowsEnd();
  EXPECT_THAT(Lines(BuiltLineTable(program)),
              ElementsAre("10 src/b.c:1", "15 src/b.c:2", "20 :0", "50 src/a.c:5", "60 :0"));
}

TEST(DwarfLines, OfSequencesSideBySideFollowOnEachOther) {
  const std::string program = At(20) + LineRowOf(1, 1) + LineRowsAdvance(10) + LineRowsEnd() +
                              At(10) + LineRowOf(1, 0) + LineRowsAdvance(10) + LineRowsEnd();
  EXPECT_THAT(Lines(BuiltLineTable(program)), ElementsAre("10 src/a.c:1", "20 src/a.c:2", "30 :0"));
}

TEST(DwarfLines, AtOneAddressAreTheLastOnes) {
  const std::string program = At(10) + LineRowOf(1, 4) + LineRowOf(2, 2) + LineRowsAdvance(5) +
                              LineRowOf(2, 0) + LineRowsAdvance(5) + LineRowOf(1, 1) +
                              LineRowsEnd();
  // Rows that repeat others are left out, and so are those that cover nothing.
  EXPECT_THAT(Lines(BuiltLineTable(program)), ElementsAre("10 src/b.c:7", "20 :0"));
}

TEST(DwarfLines, NameFunctionsByTheFirstRowAtTheirEntry) {
  const std::string program =
      At(10) + LineRowOf(1, 4) + LineRowOf(2, 2) + LineRowsAdvance(10) + LineRowsEnd();
  EXPECT_THAT(Functions(BuiltLineTable(program), {9, 10, 15, 20, 99}),
              ElementsAre(":0", "src/a.c:5", "src/b.c:7", ":0", ":0"));
}

TEST(DwarfLines, OfFunctionsThatTheLinkerDroppedAreLeftOut) {
  const std::string row = LineRowOf(1, 4) + LineRowsAdvance(10) + LineRowsEnd();
  const std::string program =
      LineRowsAt(0) + row + LineRowsAt(UINT64_MAX) + row + At(256) + row + At(10) + row;
  EXPECT_THAT(Lines(BuiltLineTable(program)), ElementsAre("10 src/a.c:5", "20 :0"));
}

TEST(DwarfLines, OfCodeThatSeveralUnitsHaveAreTheFirstOnes) {
  const auto sequence = [](int64_t line) {
    return At(10) + LineRowOf(1, line) + LineRowsAdvance(10) + LineRowsEnd();
  };
  EXPECT_THAT(Lines(BuiltLineTable(sequence(4)) + BuiltLineTable(sequence(7))),
              ElementsAre("10 src/a.c:5", "20 :0"));
}

TEST(DwarfLines, OfATableWhoseSequenceDoesNotEndAreNotThoseOfTheNext) {
  const std::string dropped = LineRowsAt(0) + LineRowOf(1, 4);
  const std::string kept = At(10) + LineRowOf(2, 1) + LineRowsAdvance(10) + LineRowsEnd();
  EXPECT_THAT(Lines(BuiltLineTable(dropped) + BuiltLineTable(kept)),
              ElementsAre("10 src/b.c:2", "20 :0"));
}

TEST(DwarfLines, ThatAreNoneHaveNoFile) {
  const std::string program = At(10) + LineRowOf(1, -1) + LineRowsAdvance(10) + LineRowsEnd();
  EXPECT_THAT(Lines(BuiltLineTable(program)), ElementsAre("10 :0"));
}

TEST(DwarfLines, ThatAreTooLargeAreUnknown) {
  const std::string program = At(10) + LineRowOf(1, INT32_MAX - 1) + LineRowsAdvance(5) +
                              LineRowOf(1, 1) + LineRowsAdvance(5) + LineRowsEnd();
  EXPECT_THAT(Lines(BuiltLineTable(program)), ElementsAre("10 src/a.c:2147483647", "15 :0"));
}

TEST(DwarfLines, OfADamagedTableAreAnError) {
  EXPECT_EQ(Read(BuiltLineTable("") + "damage").status().code(), absl::StatusCode::kDataLoss);
}

TEST(DwarfLines, WithoutATableAreNone) {
  const auto file = OpenElfBytes(ElfBuilder().Bytes(), "dir/program");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_FALSE(HasLines(**file));
  SymbolTable symbols;
  EXPECT_TRUE(ReadDwarfLines(**file, symbols).ok());
  EXPECT_THAT(symbols.lines, IsEmpty());
}

}  // namespace
}  // namespace gprofhub::profile
