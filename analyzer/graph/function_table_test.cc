#include "analyzer/graph/function_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/testing/functions.h"

namespace gprofhub::analyzer {

namespace {

using ::testing::ElementsAre;

// "address name" of each, the address from 0x1000 on.
std::vector<std::string> Pieces(const profile::SymbolTable& symbols) {
  std::vector<std::string> pieces;
  for (const LineCode& piece : CodeByLine(symbols)) {
    pieces.push_back(absl::StrCat(piece.address - 0x1000, " ", *piece.name));
  }
  return pieces;
}

profile::SymbolTable TwoFunctions() {
  profile::SymbolTable symbols = FunctionsAt({{0x1000, "main"}, {0x1040, "work"}}, 0x1080);
  symbols.files = {"", "a.c", "b.c"};
  return symbols;
}

TEST(CodeByLine, CodeIsCutWhereLineFileOrFunctionChange) {
  profile::SymbolTable symbols = TwoFunctions();
  // Line 7 continues into work.
  symbols.lines = {{0x1000, 1, 6}, {0x1008, 1, 6}, {0x1010, 1, 7}, {0x1048, 2, 7}, {0x1080, 0, 0}};
  EXPECT_THAT(Pieces(symbols), ElementsAre("0 main", "16 main", "64 work", "72 work"));
}

TEST(CodeByLine, CodeWithoutALineEndsNone) {
  profile::SymbolTable symbols = TwoFunctions();
  symbols.lines = {{0x1000, 1, 6}, {0x1008, 0, 0}, {0x1010, 1, 6}, {0x1018, 1, 0}, {0x1020, 1, 8}};
  EXPECT_THAT(Pieces(symbols), ElementsAre("0 main", "32 main", "64 work"));
}

TEST(CodeByLine, InlinedCodeHasTheNameOfItsFunction) {
  profile::SymbolTable symbols = TwoFunctions();
  symbols.lines = {{0x1000, 1, 6}, {0x1080, 0, 0}};
  symbols.scope_names = {"", "inlined"};
  symbols.scopes = {{0x1010, 1}, {0x1020, 0}};
  EXPECT_THAT(Pieces(symbols), ElementsAre("0 main", "16 inlined", "32 main", "64 work"));
}

TEST(CodeByLine, MappingSymbolsNameNothing) {
  profile::SymbolTable symbols =
      FunctionsAt({{0x1000, "main"}, {0x1010, "$d"}, {0x1020, "$x.2"}, {0x1030, "$xyz"}}, 0x1080);
  symbols.files = {"", "a.c"};
  symbols.lines = {{0x1000, 1, 6}, {0x1080, 0, 0}};
  symbols.architecture = "aarch64";
  EXPECT_THAT(Pieces(symbols), ElementsAre("0 main", "48 $xyz"));
  symbols.architecture = "arm";
  EXPECT_THAT(Pieces(symbols), ElementsAre("0 main", "32 $x.2", "48 $xyz"));
  symbols.functions[1].name = "$t";
  symbols.functions[2].name = "$a.7";
  EXPECT_THAT(Pieces(symbols), ElementsAre("0 main", "48 $xyz"));
  symbols.functions[1].name = "$d";
  symbols.functions[2].name = "$x.2";
  symbols.architecture = "x86_64";
  EXPECT_THAT(Pieces(symbols), ElementsAre("0 main", "16 $d", "32 $x.2", "48 $xyz"));
}

TEST(CodeByLine, CodeBeforeEverySymbolHasNoName) {
  profile::SymbolTable symbols = TwoFunctions();
  symbols.lines = {{0x0ff0, 1, 3}, {0x1000, 0, 0}};
  symbols.text_low = 0x0ff0;
  const std::vector<LineCode> pieces = CodeByLine(symbols);
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(*pieces[0].name, "");
  EXPECT_EQ(pieces[0].symbol, nullptr);
}

profile::FunctionSymbol Symbol(uint64_t address, uint64_t size, const std::string& name,
                               bool is_local = false, bool is_function = true) {
  profile::FunctionSymbol symbol;
  symbol.address = address;
  symbol.size = size;
  symbol.name = name;
  symbol.is_local = is_local;
  symbol.is_function = is_function;
  return symbol;
}

profile::SymbolTable Table(std::vector<profile::FunctionSymbol> functions) {
  profile::SymbolTable symbols;
  symbols.text_low = 0x1000;
  symbols.text_high = 0x2000;
  symbols.functions = std::move(functions);
  return symbols;
}

std::vector<std::string> Names(const FunctionTable& table) {
  std::vector<std::string> names;
  for (const TableFunction& function : table.functions) names.push_back(function.symbol->name);
  return names;
}

using Strings = std::vector<std::string>;

TEST(GnuAcceptsLocalName, FollowsTheObservedRules) {
  for (const char* name : {"f", "f.1", "f.12", "f.1.2", "f.", "f.1.", "f.clone.3", "f.constprop.0",
                           "f.constprop.0.1", "_f"}) {
    EXPECT_TRUE(GnuAcceptsLocalName(name)) << name;
  }
  for (const char* name : {"f.part.0", "f.isra.0", "f.cold", "f.1x", "f..", "f.clone", "f.clone.x",
                           "f.constprop.", "f.part.0.constprop.1", ".f", "f$1", "$f", "f.c",
                           "__gnu_compiled_c", "___gnu_compiled_c"}) {
    EXPECT_FALSE(GnuAcceptsLocalName(name)) << name;
  }
}

TEST(BuildFunctionTable, DropsLocalClonesOnlyForGnu) {
  const profile::SymbolTable symbols =
      Table({Symbol(0x1000, 16, "f"), Symbol(0x1010, 16, "f.part.0", true),
             Symbol(0x1020, 16, "g.part.0")});
  EXPECT_EQ(Names(BuildFunctionTable(symbols, SymbolPolicy::kGnu)), (Strings{"f", "g.part.0"}));
  EXPECT_EQ(Names(BuildFunctionTable(symbols, SymbolPolicy::kExact)),
            (Strings{"f", "f.part.0", "g.part.0"}));
}

TEST(BuildFunctionTable, ChoosesTheBestOfSeveralNamesAtOneAddress) {
  const profile::SymbolTable symbols = Table(
      {Symbol(0x1000, 0, "label", false, false), Symbol(0x1000, 16, "local", true),
       Symbol(0x1000, 16, "__global"), Symbol(0x1000, 16, "global"), Symbol(0x1000, 16, "later")});
  EXPECT_EQ(Names(BuildFunctionTable(symbols, SymbolPolicy::kGnu)), Strings{"global"});
  EXPECT_EQ(Names(BuildFunctionTable(symbols, SymbolPolicy::kExact)), Strings{"global"});
}

TEST(BuildFunctionTable, TakesAGlobalLabelForALocalFunctionOnlyForGnu) {
  const profile::SymbolTable symbols =
      Table({Symbol(0x1000, 16, "local", true), Symbol(0x1000, 0, "__label", false, false)});
  EXPECT_EQ(Names(BuildFunctionTable(symbols, SymbolPolicy::kGnu)), Strings{"__label"});
  EXPECT_EQ(Names(BuildFunctionTable(symbols, SymbolPolicy::kExact)), Strings{"local"});
}

TEST(BuildFunctionTable, NumbersDataLabelsAmongTheFunctionsForGnu) {
  profile::SymbolTable symbols = Table({Symbol(0x1000, 16, "f")});
  symbols.weak_labels = {Symbol(0x4000, 0, "data_start", false, false)};
  EXPECT_EQ(Names(BuildFunctionTable(symbols, SymbolPolicy::kGnu)), (Strings{"f", "data_start"}));
  EXPECT_EQ(Names(BuildFunctionTable(symbols, SymbolPolicy::kExact)), Strings{"f"});
}

TEST(FindCallTarget, PassesLabelsOnToTheFunctionBefore) {
  const profile::SymbolTable symbols = Table(
      {Symbol(0x1000, 16, "f"), Symbol(0x1010, 0, "label", false, false), Symbol(0x1020, 16, "g")});
  const FunctionTable table = BuildFunctionTable(symbols, SymbolPolicy::kGnu);
  EXPECT_EQ(FindByAddress(table, 0x1018), 1u);
  EXPECT_EQ(FindCallTarget(table, 0x1018), 0u);
  EXPECT_EQ(FindByAddress(table, 0xfff), kNoFunction);
}

TEST(FindByAddress, EndsFunctionsBySizeUnderTheExactPolicy) {
  const profile::SymbolTable symbols = Table({Symbol(0x1000, 8, "f"), Symbol(0x1010, 8, "g")});
  const FunctionTable table = BuildFunctionTable(symbols, SymbolPolicy::kExact);
  EXPECT_EQ(FindByAddress(table, 0x1007), 0u);
  EXPECT_EQ(FindByAddress(table, 0x1008), kNoFunction);
  EXPECT_EQ(FindByAddress(table, 0x1018), kNoFunction);
}

TEST(AssignSamples, SharesABinByOverlap) {
  const profile::SymbolTable symbols = Table({Symbol(0x1000, 12, "f"), Symbol(0x100c, 20, "g")});
  profile::Histogram histogram;
  histogram.low_pc = 0x1000;
  histogram.high_pc = 0x1020;
  histogram.rate = 100;
  histogram.bins = {8, 4};  // 16 bytes each
  for (const SymbolPolicy policy : {SymbolPolicy::kGnu, SymbolPolicy::kExact}) {
    const AssignedSamples samples =
        AssignSamples(BuildFunctionTable(symbols, policy), {histogram}, policy);
    EXPECT_DOUBLE_EQ(samples.by_function[0], 6);
    EXPECT_DOUBLE_EQ(samples.by_function[1], 6);
    EXPECT_DOUBLE_EQ(samples.total, 12);
  }
}

TEST(AssignSamples, LosesNothingToRoundingUnderTheExactPolicy) {
  const profile::SymbolTable symbols = Table({Symbol(0x1000, 0x1000, "f")});
  profile::Histogram histogram;
  histogram.low_pc = 0x1000;
  histogram.high_pc = 0x1020;
  histogram.rate = 100;
  histogram.bins = {1, 1, 1, 1, 1};  // 6.4 bytes each
  const FunctionTable table = BuildFunctionTable(symbols, SymbolPolicy::kExact);
  EXPECT_DOUBLE_EQ(AssignSamples(table, {histogram}, SymbolPolicy::kExact).by_function[0], 5);
}

TEST(FunctionFinder, AgreesWithTheSearchEverywhere) {
  EXPECT_EQ(FunctionFinder(FunctionTable()).ByAddress(0), kNoFunction);
  for (const uint64_t step : {1, 7, 1000}) {
    FunctionTable table;
    for (uint32_t i = 0; i < 50; ++i) {
      // Crowded at the beginning, one far away at the end.
      const uint64_t address = i == 49 ? 1'000'000 : 100 + step * i * i / 8 + i;
      table.functions.push_back({address, address + 1 + i % 3, nullptr, i / 2});
    }
    const FunctionFinder finder(table);
    for (uint64_t pc = 0; pc < 400'000; ++pc) {
      ASSERT_EQ(finder.ByAddress(pc), FindByAddress(table, pc)) << pc;
      ASSERT_EQ(finder.CallTarget(pc), FindCallTarget(table, pc)) << pc;
    }
    for (const uint64_t pc : {uint64_t{999'999}, uint64_t{1'000'000}, UINT64_MAX}) {
      EXPECT_EQ(finder.ByAddress(pc), FindByAddress(table, pc)) << pc;
    }
  }
}

// Rows at 100, 110, …, each of the line that it is in; the last ends the sequence.
std::vector<profile::LineRow> Rows(uint32_t count) {
  std::vector<profile::LineRow> rows;
  for (uint32_t i = 0; i < count; ++i) rows.push_back({100 + 10 * uint64_t{i}, 1, i + 1});
  rows.push_back({100 + 10 * uint64_t{count}, 0, 0});
  return rows;
}

TEST(LineFinderTest, FindsTheRowWhicheverWayTheAddressesGo) {
  const std::vector<profile::LineRow> rows = Rows(50);
  LineFinder finder(rows);
  for (const uint64_t address : {100, 109, 110, 345, 599, 101, 480, 120, 599, 100}) {
    const profile::LineRow* const row = finder.Find(address);
    ASSERT_NE(row, nullptr) << address;
    EXPECT_EQ(row->address, address / 10 * 10);
  }
}

TEST(LineFinderTest, KnowsNoLineBeforeTheTableAndBehindASequence) {
  const std::vector<profile::LineRow> rows = Rows(3);
  LineFinder finder(rows);
  EXPECT_EQ(finder.Find(130), nullptr);
  EXPECT_EQ(finder.Find(99), nullptr);
  EXPECT_EQ(finder.Find(1000), nullptr);
  EXPECT_NE(finder.Find(129), nullptr);
}

TEST(LineFinderTest, FindsNothingInAnEmptyTable) {
  const std::vector<profile::LineRow> none;
  EXPECT_EQ(LineFinder(none).Find(5), nullptr);
}

}  // namespace

}  // namespace gprofhub::analyzer
