#include "profile/dwarf/toolchains.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "profile/testing/dwarf_builder.h"

namespace gprofhub::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr uint64_t kLow = 0x1000;

absl::StatusOr<SymbolTable> Read(const DwarfBuilder& dwarf, const std::string& more = "") {
  ElfBuilder elf;
  elf.Add({".debug_info", SHT_PROGBITS, 0, 0, dwarf.Info() + more});
  elf.Add({".debug_abbrev", SHT_PROGBITS, 0, 0, dwarf.Abbreviations()});
  const auto file = OpenElfBytes(elf.Bytes(), "dir/program");
  if (!file.ok()) return file.status();
  SymbolTable symbols;
  for (const uint64_t place : {0, 0x10, 0x20, 0x30}) {
    FunctionSymbol function;
    function.address = kLow + place;
    function.name = absl::StrCat("f", place / 0x10);
    symbols.functions.push_back(function);
  }
  if (absl::Status status = ReadDwarfToolchains(**file, symbols); !status.ok()) return status;
  return symbols;
}

// "TOOLCHAIN" of each function, followed by "!" if calls may be inlined.
std::vector<std::string> Toolchains(const DwarfBuilder& dwarf) {
  const absl::StatusOr<SymbolTable> symbols = Read(dwarf);
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
