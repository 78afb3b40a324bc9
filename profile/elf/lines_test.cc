#include "profile/elf/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
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
                                 const std::string& more = "",
                                 const std::vector<std::string>& own_files = {}) {
  ElfBuilder elf;
  elf.Add({".debug_info", SHT_PROGBITS, 0, 0, dwarf.Info() + more});
  elf.Add({".debug_abbrev", SHT_PROGBITS, 0, 0, dwarf.Abbreviations()});
  elf.Add({".debug_line", SHT_PROGBITS, 0, 0, lines});
  ASSIGN_OR_RETURN(const auto file, OpenElfBytes(elf.Bytes(), "dir/program"));
  SymbolTable symbols;
  symbols.text_low = kLow;
  symbols.text_high = kHigh;
  // The code's own line is in the next file at every tenth byte.
  for (size_t i = 0; i < own_files.size(); ++i) {
    symbols.files.push_back(own_files[i]);
    symbols.lines.push_back({kLow + 10 * i, static_cast<uint32_t>(i + 1), 1});
  }
  RETURN_IF_ERROR(ReadDwarfCallLines(*file, symbols));
  return symbols;
}

// "ADDRESS FILE:LINE" of each row.
std::vector<std::string> CallLines(const DwarfBuilder& dwarf,
                                   const std::string& lines = BuiltLineTable(""),
                                   const std::vector<std::string>& own_files = {}) {
  const absl::StatusOr<SymbolTable> symbols = Read(dwarf, lines, "", own_files);
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

TEST(CallLines, OfALibrarysCodeAreTheInnermostOfTheProgram) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(kUnit);
  dwarf.Begin(DW_TAG_subprogram, Code(kLow, kLow + 100));
  dwarf.Begin(DW_TAG_inlined_subroutine, Inlined(0, 60, 7));
  dwarf.Begin(DW_TAG_inlined_subroutine, Inlined(10, 50, 8));
  dwarf.Leaf(DW_TAG_inlined_subroutine, Inlined(20, 40, 100, 2));
  dwarf.End();
  dwarf.End();
  dwarf.End();
  dwarf.EndUnit();
  EXPECT_THAT(CallLines(dwarf, BuiltLineTable("", {"a.c", "/usr/include/b.h"}, "src"),
                        {"a.c", "a.c", "/usr/include/b.h", "a.c", "/usr/include/b.h"}),
              ElementsAre("0 src/a.c:7", "20 src/a.c:8", "30 src/a.c:7", "40 src/a.c:8",
                          "50 src/a.c:7", "60 :0"));
}

// The body of a thread is inlined into an instance of a library's template.
TEST(CallLines, InALibrarysFileAreUsedOnlyWithoutOthers) {
  DwarfBuilder dwarf;
  dwarf.BeginUnit(kUnit);
  dwarf.Begin(DW_TAG_subprogram, Code(kLow, kLow + 100));
  dwarf.Begin(DW_TAG_inlined_subroutine, Inlined(0, 60, 210, 2));
  dwarf.Begin(DW_TAG_inlined_subroutine, Inlined(10, 50, 60, 2));
  dwarf.Leaf(DW_TAG_inlined_subroutine, Inlined(20, 40, 5));
  dwarf.End();
  dwarf.End();
  dwarf.End();
  dwarf.EndUnit();
  EXPECT_THAT(
      CallLines(dwarf, BuiltLineTable("", {"a.c", "/usr/include/b.h"}, "src")),
      ElementsAre("0 /usr/include/b.h:210", "20 src/a.c:5", "40 /usr/include/b.h:210", "60 :0"));
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

using ::testing::ElementsAre;
using ::testing::IsEmpty;

absl::StatusOr<SymbolTable> Read(const std::string& lines, const LineReadOptions& options = {},
                                 const std::vector<uint64_t>& functions = {}) {
  ElfBuilder elf;
  elf.Add({".debug_line", SHT_PROGBITS, 0, 0, lines});
  ASSIGN_OR_RETURN(const auto file, OpenElfBytes(elf.Bytes(), "dir/program"));
  SymbolTable symbols;
  symbols.text_low = kLow;
  symbols.text_high = kHigh;
  for (const uint64_t address : functions) {
    symbols.functions.emplace_back();
    symbols.functions.back().address = kLow + address;
  }
  RETURN_IF_ERROR(ReadDwarfLines(*file, symbols, options));
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

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// With code at kLow + low.
std::vector<DwarfAttribute> CodeAt(uint64_t low, uint64_t high,
                                   std::vector<DwarfAttribute> more = {}) {
  return Code(kLow + low, kLow + high, std::move(more));
}

std::vector<DwarfAttribute> Language(uint64_t language) {
  return {Number(DW_AT_language, language)};
}

absl::StatusOr<SymbolTable> ReadWithMore(const DwarfBuilder& dwarf, const std::string& more = "") {
  ElfBuilder elf;
  elf.Add({".debug_info", SHT_PROGBITS, 0, 0, dwarf.Info() + more});
  elf.Add({".debug_abbrev", SHT_PROGBITS, 0, 0, dwarf.Abbreviations()});
  ASSIGN_OR_RETURN(const auto file, OpenElfBytes(elf.Bytes(), "dir/program"));
  SymbolTable symbols;
  symbols.text_low = kLow;
  symbols.text_high = kHigh;
  RETURN_IF_ERROR(ReadDwarfScopes(*file, symbols));
  return symbols;
}

// "ADDRESS NAME" of each scope.
std::vector<std::string> Scopes(const DwarfBuilder& dwarf) {
  const absl::StatusOr<SymbolTable> symbols = ReadWithMore(dwarf);
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
  EXPECT_EQ(ReadWithMore(dwarf,
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
              HasSubstr("dir/program: the units of .debug_info refer to more than "));
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
