#include "analyzer/listing/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

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

constexpr uint64_t kFirst = 0x1000, kSecond = 0x1100, kEnd = 0x1200;

// The rows, by line: 0 to 3 belong to the function "first", with lines of h.h and a.c in turn, 4
// and 5 of "second".
profile::SymbolTable Symbols() {
  profile::SymbolTable symbols = FunctionsAt({{kFirst, "first"}, {kSecond, "second"}}, kEnd);
  symbols.files = {"", "src/h.h", "src/a.c"};
  const auto add_line = [&](uint64_t address, uint32_t file, uint32_t line) {
    profile::LineRow row;
    row.address = address;
    row.file = file;
    row.line = line;
    symbols.lines.push_back(row);
  };
  add_line(kFirst, 1, 1);
  add_line(kFirst + 0x20, 2, 5);
  add_line(kFirst + 0x40, 1, 3);
  add_line(kFirst + 0x60, 2, 7);
  add_line(kSecond, 2, 20);
  add_line(kSecond + 0x20, 1, 4);
  return symbols;
}

class ChosenRunsTest : public testing::Test {
 protected:
  static RowOptions ByLine() {
    RowOptions options;
    options.by_line = true;
    return options;
  }
  // First and last row of each run.
  std::vector<std::pair<uint32_t, uint32_t>> Chosen(const std::string& symspec) const {
    std::vector<std::pair<uint32_t, uint32_t>> ends;
    for (const ChosenRun& run : ChosenRuns(rows_, Symspec::Parse(symspec))) {
      ends.emplace_back(run.first, run.last_chosen);
    }
    return ends;
  }

  using Ends = std::vector<std::pair<uint32_t, uint32_t>>;
  const profile::SymbolTable symbols_ = Symbols();
  const ListingRows rows_{symbols_, ByLine()};
};

TEST_F(ChosenRunsTest, AFunctionsFirstLineChoosesAllOfIt) {
  ASSERT_EQ(rows_.size(), 6u);
  EXPECT_EQ(Chosen("h.h:1"), (Ends{{0, 3}}));
  EXPECT_EQ(Chosen("a.c:20"), (Ends{{4, 5}}));
}

TEST_F(ChosenRunsTest, ButOnlyUpToTheNextRowThatMatches) {
  EXPECT_EQ(Chosen("h.h:"), (Ends{{0, 1}, {2, 2}, {5, 5}}));
}

TEST_F(ChosenRunsTest, AFurtherLineChoosesItself) {
  EXPECT_EQ(Chosen("a.c:5"), (Ends{{1, 1}}));
  EXPECT_EQ(Chosen("a.c:first"), (Ends{{1, 1}, {3, 3}}));
}

TEST_F(ChosenRunsTest, WhatLiesSideBySideIsOneRun) {
  EXPECT_EQ(Chosen("first"), (Ends{{0, 3}}));
  EXPECT_EQ(Chosen("a.c:"), (Ends{{1, 1}, {3, 5}}));
}

TEST_F(ChosenRunsTest, CallersAreAllOfTheFunctionWhateverElseMatches) {
  const std::vector<ChosenRun> runs = ChosenRuns(rows_, Symspec::Parse("h.h:"));
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].first, 0u);
  EXPECT_EQ(runs[0].last_matched, 0u);
  EXPECT_EQ(runs[0].last_caller, 3u);
  EXPECT_EQ(runs[1].last_caller, 2u);
}

TEST_F(ChosenRunsTest, FunctionsAreChosenByTheirFirstLineAlone) {
  const ListingRows functions(symbols_, {});
  const std::vector<ChosenRun> runs = ChosenRuns(functions, Symspec::Parse("h.h:"));
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].last_chosen, 0u);
}

TEST_F(ChosenRunsTest, NothingMatchesNothing) { EXPECT_EQ(Chosen("none"), Ends{}); }

}  // namespace

}  // namespace gprofhub::analyzer
