#include "profile/dwarf/scopes.h"

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

// With code at kLow + low.
std::vector<DwarfAttribute> CodeAt(uint64_t low, uint64_t high,
                                   std::vector<DwarfAttribute> more = {}) {
  return Code(kLow + low, kLow + high, std::move(more));
}

std::vector<DwarfAttribute> Language(uint64_t language) {
  return {Number(DW_AT_language, language)};
}

absl::StatusOr<SymbolTable> Read(const DwarfBuilder& dwarf, const std::string& more = "") {
  ElfBuilder elf;
  elf.Add({".debug_info", SHT_PROGBITS, 0, 0, dwarf.Info() + more});
  elf.Add({".debug_abbrev", SHT_PROGBITS, 0, 0, dwarf.Abbreviations()});
  const auto file = OpenElfBytes(elf.Bytes(), "dir/program");
  if (!file.ok()) return file.status();
  SymbolTable symbols;
  symbols.text_low = kLow;
  symbols.text_high = kHigh;
  if (absl::Status status = ReadDwarfScopes(**file, symbols); !status.ok()) return status;
  return symbols;
}

// "ADDRESS NAME" of each scope.
std::vector<std::string> Scopes(const DwarfBuilder& dwarf) {
  const absl::StatusOr<SymbolTable> symbols = Read(dwarf);
  EXPECT_TRUE(symbols.ok()) << symbols.status();
  std::vector<std::string> scopes;
  for (const CodeScope& scope : symbols->scopes) {
    scopes.push_back(absl::StrCat(scope.address - kLow, " ", symbols->scope_names.at(scope.name)));
  }
  return scopes;
}

TEST(DwarfScopes, AreOfTheInnermostFunction) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Language(DW_LANG_C11));
  dwarf.Begin(DW_TAG_subprogram, CodeAt(0, 100, {Text(DW_AT_name, "f")}));
  dwarf.Begin(DW_TAG_inlined_subroutine, CodeAt(10, 50, {Text(DW_AT_name, "g")}));
  dwarf.Leaf(DW_TAG_inlined_subroutine, CodeAt(20, 30, {Text(DW_AT_name, "h")}));
  dwarf.End();
  dwarf.Leaf(DW_TAG_inlined_subroutine, CodeAt(50, 60, {Text(DW_AT_name, "g")}));
  dwarf.End();
  dwarf.Leaf(DW_TAG_subprogram, CodeAt(120, 130, {Text(DW_AT_name, "k")}));
  dwarf.EndUnit();
  EXPECT_THAT(Scopes(dwarf),
              ElementsAre("0 f", "10 g", "20 h", "30 g", "60 f", "100 ", "120 k", "130 "));
}

TEST(DwarfScopes, OfEqualCodeAreOfWhatLiesDeeper) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Language(DW_LANG_C11));
  dwarf.Begin(DW_TAG_subprogram, CodeAt(0, 100, {Text(DW_AT_name, "f")}));
  dwarf.Leaf(DW_TAG_inlined_subroutine, CodeAt(0, 100, {Text(DW_AT_name, "g")}));
  dwarf.End();
  dwarf.EndUnit();
  EXPECT_THAT(Scopes(dwarf), ElementsAre("0 g", "100 "));
}

TEST(DwarfScopes, OfOwnFunctionsNeedALinkageName) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Language(DW_LANG_C_plus_plus_14));
  dwarf.Leaf(DW_TAG_subprogram, CodeAt(0, 10, {Text(DW_AT_name, "plain")}));
  dwarf.Leaf(DW_TAG_subprogram,
             CodeAt(20, 30, {Text(DW_AT_name, "f"), Text(DW_AT_linkage_name, "_Z1fv")}));
  dwarf.Leaf(DW_TAG_inlined_subroutine, CodeAt(40, 50, {Text(DW_AT_name, "inlined")}));
  dwarf.EndUnit();
  EXPECT_THAT(Scopes(dwarf), ElementsAre("20 _Z1fv", "30 ", "40 inlined", "50 "));
}

TEST(DwarfScopes, AreNamedByTheirAbstractOrigin) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Language(DW_LANG_C_plus_plus_14));
  const uint64_t origin = dwarf.Leaf(DW_TAG_subprogram, {Text(DW_AT_linkage_name, "_Z1gv")});
  dwarf.Leaf(DW_TAG_inlined_subroutine, CodeAt(0, 10, {Reference(DW_AT_abstract_origin, origin)}));
  dwarf.EndUnit();
  EXPECT_THAT(Scopes(dwarf), ElementsAre("0 _Z1gv", "10 "));
}

// No compiler writes such ranges.
TEST(DwarfScopes, ThatOverlapAscendAllTheSame) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Language(DW_LANG_C11));
  dwarf.Leaf(DW_TAG_subprogram, CodeAt(0, 20, {Text(DW_AT_name, "f")}));
  dwarf.Leaf(DW_TAG_subprogram, CodeAt(10, 40, {Text(DW_AT_name, "g")}));
  dwarf.Leaf(DW_TAG_subprogram, CodeAt(30, 50, {Text(DW_AT_name, "h")}));
  dwarf.EndUnit();
  EXPECT_THAT(Scopes(dwarf), ElementsAre("0 f", "10 g", "30 h", "50 "));
}

TEST(DwarfScopes, OutsideOfTheCodeAreLeftOut) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(Language(DW_LANG_C11));
  dwarf.Leaf(DW_TAG_subprogram, CodeAt(-1, 10, {Text(DW_AT_name, "before")}));
  dwarf.Leaf(DW_TAG_subprogram, CodeAt(10, 257, {Text(DW_AT_name, "behind")}));
  dwarf.Leaf(DW_TAG_subprogram, CodeAt(0, 256, {Text(DW_AT_name, "whole")}));
  dwarf.EndUnit();
  EXPECT_THAT(Scopes(dwarf), ElementsAre("0 whole", "256 "));
}

TEST(DwarfScopes, OfDamagedUnitsAreAnError) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit();
  dwarf.EndUnit();
  EXPECT_EQ(Read(dwarf,
                 "\x20"
                 "damage")
                .status()
                .code(),
            absl::StatusCode::kDataLoss);
}

TEST(DwarfScopes, WithoutDebugInformationAreNone) {
  const auto file = OpenElfBytes(ElfBuilder().Bytes(), "dir/program");
  ASSERT_TRUE(file.ok()) << file.status();
  SymbolTable symbols;
  EXPECT_TRUE(ReadDwarfScopes(**file, symbols).ok());
  EXPECT_THAT(symbols.scopes, IsEmpty());
  EXPECT_THAT(symbols.scope_names, IsEmpty());
}

}  // namespace
}  // namespace gprofhub::profile
