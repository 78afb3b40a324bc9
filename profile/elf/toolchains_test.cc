#include "profile/elf/toolchains.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "profile/elf/line_table.h"
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
              HasSubstr("dir/program: the entries of .debug_info list more ranges of code"));
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

using ::testing::ElementsAre;

// "DEPTH NAME" of each entry.
std::vector<std::string> Entries(const DwarfBuilder& dwarf) {
  ElfBuilder elf;
  dwarf.AddTo(elf);
  const auto file = OpenElfBytes(elf.Bytes(), "dir/program");
  EXPECT_TRUE(file.ok()) << file.status();
  const DwarfHandle handle = OpenDwarf(**file);
  std::vector<std::string> entries;
  const absl::Status status = ForEachDwarfUnit(**file, handle.get(), [&](Dwarf_Die* unit) {
    ForEachDwarfEntry(unit, [&](Dwarf_Die* die, int depth) {
      const char* name = dwarf_diename(die);
      entries.push_back(absl::StrCat(depth, " ", name == nullptr ? "" : name));
    });
  });
  EXPECT_TRUE(status.ok()) << status;
  return entries;
}

std::vector<DwarfAttribute> Named(const std::string& name) { return {Text(DW_AT_name, name)}; }

TEST(DwarfTree, IsVisitedInOrderWithItsDepths) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Named("unit"));
  dwarf.Begin(DW_TAG_subprogram, Named("f"));
  dwarf.Leaf(DW_TAG_variable, Named("x"));
  dwarf.Begin(DW_TAG_lexical_block, Named("block"));
  dwarf.Leaf(DW_TAG_variable, Named("y"));
  dwarf.End();
  dwarf.End();
  dwarf.Leaf(DW_TAG_subprogram, Named("g"));
  dwarf.EndUnit();
  dwarf.BeginUnit(Named("other"));
  dwarf.EndUnit();
  EXPECT_THAT(Entries(dwarf),
              ElementsAre("0 unit", "1 f", "2 x", "2 block", "3 y", "1 g", "0 other"));
}

TEST(DwarfTree, FollowsSiblings) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Named("unit"));
  // The entry has 5 bytes, its sibling, a leaf, 3, and its end 1.
  const uint64_t sibling = dwarf.Here() + 5 + 3 + 1;
  dwarf.Begin(DW_TAG_subprogram, {Reference(DW_AT_sibling, sibling)});
  dwarf.Leaf(DW_TAG_variable, Named("x"));
  dwarf.End();
  ASSERT_EQ(dwarf.Here(), sibling);
  dwarf.Leaf(DW_TAG_subprogram, Named("g"));
  dwarf.EndUnit();
  EXPECT_THAT(Entries(dwarf), ElementsAre("0 unit", "1 ", "2 x", "1 g"));
}

TEST(DwarfTree, IsLeftWhereASiblingLeadsBack) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Named("unit"));
  const uint64_t first = dwarf.Leaf(DW_TAG_subprogram, Named("f"));
  dwarf.Begin(DW_TAG_subprogram, {Reference(DW_AT_sibling, first)});
  dwarf.End();
  dwarf.Leaf(DW_TAG_subprogram, Named("never reached"));
  dwarf.EndUnit();
  dwarf.BeginUnit(Named("other"));
  dwarf.EndUnit();
  EXPECT_THAT(Entries(dwarf), ElementsAre("0 unit", "1 f", "1 ", "0 other"));
}

TEST(DwarfTree, IsLeftWhereASiblingLiesBelow) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Named("unit"));
  dwarf.Begin(DW_TAG_subprogram, {Reference(DW_AT_sibling, dwarf.Here() + 5)});
  dwarf.Leaf(DW_TAG_variable, Named("x"));
  dwarf.End();
  dwarf.EndUnit();
  EXPECT_THAT(Entries(dwarf), ElementsAre("0 unit", "1 ", "2 x"));
}

TEST(DwarfTree, IsLeftWhereItNestsDeeperThanCompilersDo) {
  for (const int depth : {400, 401}) {
    DwarfBuilder dwarf;
    dwarf.BeginUnit(Named("unit"));
    for (int i = 1; i < depth; ++i) dwarf.Begin(DW_TAG_lexical_block);
    dwarf.Leaf(DW_TAG_variable, Named("deep"));
    for (int i = 1; i < depth; ++i) dwarf.End();
    dwarf.Leaf(DW_TAG_variable, Named("behind"));
    dwarf.EndUnit();
    const std::vector<std::string> entries = Entries(dwarf);
    if (depth == 400) {
      EXPECT_EQ(entries.size(), 402u);
      EXPECT_EQ(entries.back(), "1 behind");
    } else {
      EXPECT_EQ(entries.size(), 401u);
      EXPECT_EQ(entries.back(), "400 ");
    }
  }
}

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr uint64_t kLow = 0x1000;

absl::StatusOr<SymbolTable> Read(const DwarfBuilder& dwarf, const std::string& more = "",
                                 const std::string& name_of_last = "f3") {
  ElfBuilder elf;
  elf.Add({".debug_info", SHT_PROGBITS, 0, 0, dwarf.Info() + more});
  elf.Add({".debug_abbrev", SHT_PROGBITS, 0, 0, dwarf.Abbreviations()});
  ASSIGN_OR_RETURN(const auto file, OpenElfBytes(elf.Bytes(), "dir/program"));
  SymbolTable symbols;
  for (const uint64_t place : {0, 0x10, 0x20, 0x30}) {
    FunctionSymbol function;
    function.address = kLow + place;
    function.name = absl::StrCat("f", place / 0x10);
    symbols.functions.push_back(function);
  }
  symbols.functions.back().name = name_of_last;
  RETURN_IF_ERROR(ReadDwarfToolchains(*file, symbols));
  return symbols;
}

// "TOOLCHAIN" of each function, followed by "!" if calls may be inlined.
std::vector<std::string> Toolchains(const DwarfBuilder& dwarf,
                                    const std::string& name_of_last = "f3") {
  const absl::StatusOr<SymbolTable> symbols = Read(dwarf, "", name_of_last);
  EXPECT_TRUE(symbols.ok()) << symbols.status();
  std::vector<std::string> toolchains;
  for (const FunctionSymbol& function : symbols->functions) {
    toolchains.push_back(symbols->toolchains.at(function.toolchain) +
                         (function.never_inlined ? "" : "!"));
  }
  return toolchains;
}

std::vector<DwarfAttribute> Unit(uint64_t low, uint64_t high, const std::string& producer) {
  return Code(kLow + low, kLow + high, {Text(DW_AT_producer, producer)});
}

TEST(Toolchains, AreThoseOfTheUnitsThatFunctionsBeginIn) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Unit(0x20, 0x30, "GNU C17 12.2.0 -O3"));
  dwarf.EndUnit();
  dwarf.BeginUnit(Unit(0, 0x11, "clang version 14.0.6"));
  dwarf.EndUnit();
  EXPECT_THAT(Toolchains(dwarf),
              ElementsAre("clang 14.0.6", "clang 14.0.6", "gcc 12.2.0 -O3", "!"));
}

TEST(Toolchains, TheDebugModeOfLibstdcxxIsAnOptionOfItsUnits) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Unit(0, 0x20, "GNU C++20 12.2.0 -O2"));
  dwarf.EndUnit();
  dwarf.BeginUnit(Unit(0x20, 0x40, "GNU C++20 12.2.0 -O2"));
  dwarf.EndUnit();
  EXPECT_THAT(Toolchains(dwarf, "_ZNSt7__debug6vectorIiSaIiEE9push_backEOi"),
              ElementsAre("gcc 12.2.0 -O2", "gcc 12.2.0 -O2", "gcc 12.2.0 -O2 -D_GLIBCXX_DEBUG",
                          "gcc 12.2.0 -O2 -D_GLIBCXX_DEBUG"));
}

TEST(Toolchains, FunctionsThatAUnitInlinedAreNotKnownNeverToBe) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Unit(0, 0x40, "GNU C17 12.2.0 -O3"));
  dwarf.Leaf(DW_TAG_subprogram, {Text(DW_AT_linkage_name, "f1"), Text(DW_AT_name, "f0"),
                                 Number(DW_AT_inline, DW_INL_inlined)});
  dwarf.Leaf(DW_TAG_subprogram,
             {Text(DW_AT_name, "f2"), Number(DW_AT_inline, DW_INL_declared_not_inlined)});
  dwarf.Leaf(DW_TAG_subprogram,
             {Text(DW_AT_name, "f3"), Number(DW_AT_inline, DW_INL_declared_inlined)});
  dwarf.EndUnit();
  EXPECT_THAT(Toolchains(dwarf), ElementsAre("gcc 12.2.0 -O3", "gcc 12.2.0 -O3!", "gcc 12.2.0 -O3",
                                             "gcc 12.2.0 -O3!"));
}

TEST(Toolchains, AreKeptOnceAndNotMoreThanAThousand) {
  DwarfBuilder dwarf;
  for (int i = 0; i < 1500; ++i) {
    dwarf.BeginUnit(Unit(0, 0x40, absl::StrCat("GNU C17 12.2.", i / 2, " -O3")));
    dwarf.EndUnit();
  }
  const auto few = Read(dwarf);
  ASSERT_TRUE(few.ok()) << few.status();
  EXPECT_THAT(few->toolchains, SizeIs(751));
  for (int i = 0; i < 1500; ++i) {
    dwarf.BeginUnit(Unit(0, 0x40, absl::StrCat("GNU C17 13.2.", i, " -O3")));
    dwarf.EndUnit();
  }
  const auto many = Read(dwarf);
  ASSERT_TRUE(many.ok()) << many.status();
  EXPECT_THAT(many->toolchains, SizeIs(1001));
}

TEST(Toolchains, NamesThatEndNowhereSayNothing) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Unit(0, 0x20, "GNU C17 12.2.0 -O3" + std::string(5000, 'x')));
  dwarf.Leaf(DW_TAG_subprogram,
             {Text(DW_AT_name, std::string(5000, 'f')), Number(DW_AT_inline, DW_INL_inlined)});
  dwarf.EndUnit();
  EXPECT_THAT(Toolchains(dwarf), ElementsAre("!", "!", "!", "!"));
}

TEST(Toolchains, NothingWithoutDebugInformationAndAnErrorWhereItIsDamaged) {
  const auto nothing = Read(DwarfBuilder());
  ASSERT_TRUE(nothing.ok());
  EXPECT_THAT(nothing->toolchains, ElementsAre(""));
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Unit(0, 0x20, "GNU C17 12.2.0"));
  dwarf.EndUnit();
  EXPECT_EQ(Read(dwarf, std::string("\xff\0\0\0\x04", 5)).status().code(),
            absl::StatusCode::kDataLoss);
}

}  // namespace

}  // namespace gprofhub::profile
