#include "analyzer/listing/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/testing/functions.h"

namespace gprofhub::analyzer {
namespace {

using ::testing::ElementsAre;

// In the image b.c comes first, in the symbol table, but for a twin, a.c does.
profile::SymbolTable TwoFiles() {
  profile::SymbolTable symbols =
      FunctionsAt({{0x1000, "of_b"}, {0x1000, "twin"}, {0x1040, "of_a"}}, 0x1080);
  symbols.files = {"", "a.c", "b.c", "c.c"};
  symbols.lines = {{0x1000, 2, 1}, {0x1020, 3, 5}, {0x1040, 1, 1}, {0x1080, 0, 0}};
  symbols.functions[0].table_index = 9;
  symbols.functions[1].table_index = 8;
  symbols.functions[2].table_index = 5;
  return symbols;
}

TEST(FilesInOrder, IsThatOfTheSymbolTableTwinsIncluded) {
  profile::SymbolTable symbols = TwoFiles();
  EXPECT_THAT(ListingRows(symbols, {}).FilesInOrder(), ElementsAre(1, 2));
  symbols.functions[1].table_index = 2;
  EXPECT_THAT(ListingRows(symbols, {}).FilesInOrder(), ElementsAre(2, 1));
}

TEST(FilesInOrder, LineByLineLabelsCountAndThenTheCode) {
  profile::SymbolTable symbols = TwoFiles();
  const RowOptions by_line{.by_line = true};
  EXPECT_THAT(ListingRows(symbols, by_line).FilesInOrder(), ElementsAre(1, 2, 3));
  // A label at the address of a line, to which the row belongs.
  profile::FunctionSymbol label;
  label.address = 0x1020;
  label.name = "label";
  label.table_index = 3;
  symbols.functions.insert(symbols.functions.begin() + 2, label);
  const ListingRows rows(symbols, by_line);
  EXPECT_EQ(rows.LinkageName(1), "label");
  EXPECT_FALSE(rows.IsFunction(1));
  EXPECT_THAT(rows.FilesInOrder(), ElementsAre(3, 1, 2));
}

}  // namespace
}  // namespace gprofhub::analyzer
