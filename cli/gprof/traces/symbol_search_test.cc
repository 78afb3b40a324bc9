#include "cli/gprof/traces/symbol_search.h"

#include <gtest/gtest.h>

#include "analyzer/testing/functions.h"

namespace gprofhub::cli {
namespace {

TracedSymbol At(uint64_t address, uint64_t last) { return {address, last, "f", false, true}; }

TEST(SearchedTable, CountsTheSymbolsThatItLooksAt) {
  const SearchedTable table({At(0x10, 0x1f), At(0x20, 0x2f), At(0x30, 0x3f), At(0x40, 0x4f)});
  EXPECT_EQ(table.TraceSearch(0x1f), "[sym_lookup] 2 probes (symtab->len=3)\n");
  EXPECT_EQ(table.TraceSearch(0x20), "[sym_lookup] 1 probes (symtab->len=3)\n");
  EXPECT_EQ(table.TraceSearch(0x4f), "[sym_lookup] 2 (3) probes, fall off\n");
}

TEST(SearchedTable, SaysNothingOfWhatItDoesNotFind) {
  const SearchedTable table({At(0x10, 0x1f), At(0x40, 0x4f)});
  for (const uint64_t address : {0x00, 0x20, 0x50}) {
    EXPECT_FALSE(table.Search(address).is_found);
    EXPECT_EQ(table.TraceSearch(address), "");
  }
  EXPECT_EQ(SearchedTable({}).TraceSearch(0x10), "");
}

TEST(SearchedTable, RowsReachToTheNextAndTheLastAsFarAsIsSaid) {
  const profile::SymbolTable symbols = analyzer::FunctionsAt(
      {{0x10, "a"}, {0x20, "b"}, {0x30, "c"}, {0x40, "d"}, {0x50, "e"}}, 0x60);
  const analyzer::ListingRows rows(symbols, {});
  const SearchedTable never(rows, 0);
  EXPECT_EQ(never.Search(0x3f).probes, 1);
  EXPECT_EQ(never.Search(0x10).probes, 3);
  EXPECT_TRUE(never.Search(0x4f).is_found);
  EXPECT_FALSE(never.Search(0x50).is_found);
  EXPECT_FALSE(never.Search(0xf).is_found);
  const SearchedTable to_the_end(rows, 0x5f);
  EXPECT_EQ(to_the_end.TraceSearch(0x5f), "[sym_lookup] 2 (4) probes, fall off\n");
  EXPECT_FALSE(to_the_end.Search(0x60).is_found);
}

}  // namespace
}  // namespace gprofhub::cli
