#include "analyzer/listing/symspec_rows.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analyzer/testing/functions.h"

namespace gprofhub::analyzer {
namespace {

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
