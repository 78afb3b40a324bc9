#include "analyzer/functions/code_by_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace gprofhub::analyzer
