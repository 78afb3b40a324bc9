#include "analyzer/listing/call_graph_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "analyzer/listing/explanations.h"
#include "analyzer/listing/prepare.h"
#include "analyzer/testing/functions.h"

namespace gprofhub::analyzer {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kMain = 0x1000, kSmall = 0x1100, kLarge = 0x1200, kUnused = 0x1300;
constexpr uint64_t kEnd = 0x1400;

profile::SymbolTable Symbols() {
  return FunctionsAt({{kMain, "main"}, {kSmall, "small"}, {kLarge, "large"}, {kUnused, "unused"}},
                     kEnd);
}

// main calls small and large, and itself. Of 100 samples small has 20, large 80.
profile::RawProfile Profile() {
  profile::RawProfile profile;
  profile::Histogram histogram;
  histogram.low_pc = kMain;
  histogram.high_pc = kEnd;
  histogram.rate = 100;
  histogram.dimension = "seconds";
  histogram.bins.assign((kEnd - kMain) / 0x10, 0);
  histogram.bins[(kSmall - kMain) / 0x10] = 20;
  histogram.bins[(kLarge - kMain) / 0x10] = 80;
  profile.histograms.push_back(histogram);
  profile.arcs = {{kMain + 8, kSmall, 9}, {kMain + 16, kLarge, 2}, {kMain + 24, kMain, 4}};
  return profile;
}

// The listing's entries: the texts between the lines of dashes, without the header.
std::vector<std::string> Entries(const ListingOptions& options) {
  const profile::SymbolTable symbols = Symbols();
  const ListingInput input = PrepareListing(symbols, Profile(), options);
  std::string text;
  PrintGraphListing(input, options, IndexNumbers(input),
                    [&](absl::string_view piece) { text.append(piece.data(), piece.size()); });
  std::vector<std::string> entries = absl::StrSplit(
      text.substr(text.find("name\n") + 5), "-----------------------------------------------\n");
  entries.pop_back();  // the text behind the last one
  return entries;
}

ListingOptions Brief() {
  ListingOptions options;
  options.explain = false;
  return options;
}

TEST(CallGraphTable, EntriesComeByFallingTimeAndOnlyOfWhatWasUsed) {
  const std::vector<std::string> entries = Entries(Brief());
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_THAT(entries[0], HasSubstr("[1]    100.0    0.00    1.00       0+4       main [1]\n"));
  EXPECT_THAT(entries[1], HasSubstr("[2]     80.0    0.80    0.00       2         large [2]\n"));
  EXPECT_THAT(entries[2], HasSubstr("[3]     20.0    0.20    0.00       9         small [3]\n"));
}

TEST(CallGraphTable, CalleesFallAndRecursionStandsFarthestFromThem) {
  const std::vector<std::string> lines = absl::StrSplit(Entries(Brief())[0], '\n');
  EXPECT_THAT(lines, ElementsAre("                                   4             main [1]",
                                 "[1]    100.0    0.00    1.00       0+4       main [1]",
                                 "                0.80    0.00       2/2           large [2]",
                                 "                0.20    0.00       9/9           small [3]",
                                 "                                   4             main [1]", ""));
}

TEST(CallGraphTable, FunctionsWithoutCallsAreListedIfAskedFor) {
  ListingOptions options = Brief();
  options.show_unused = true;
  const std::vector<std::string> entries = Entries(options);
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_THAT(entries[3], HasSubstr("<spontaneous>\n"));
  EXPECT_THAT(entries[3], HasSubstr("unused [4]\n"));
}

TEST(CallGraphTable, WhatIsExcludedHasNoEntryAndItsNumberStandsInParentheses) {
  ListingOptions options = Brief();
  options.symspecs.exclude[static_cast<size_t>(Choice::kGraph)] = {Symspec::Parse("small")};
  const std::vector<std::string> entries = Entries(options);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_THAT(entries[0], HasSubstr("small (3)\n"));
  EXPECT_THAT(entries[1], Not(HasSubstr("small")));
}

}  // namespace

}  // namespace gprofhub::analyzer
