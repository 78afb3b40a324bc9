#include "analyzer/listing/tables.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/listing/prepare.h"
#include "analyzer/testing/functions.h"

namespace gprofhub::analyzer {

namespace {

constexpr uint64_t kMain = 0x1000, kRing = 0x1100, kLink = 0x1200, kEnd = 0x1300;

// main calls ring three times; ring and link call each other. 10, 20 and 40 samples.
profile::RawProfile Profile() {
  profile::RawProfile profile;
  profile::Histogram histogram;
  histogram.low_pc = kMain;
  histogram.high_pc = kEnd;
  histogram.rate = 100;
  histogram.bins.assign((kEnd - kMain) / 0x10, 0);
  histogram.bins[0x00] = 10;
  histogram.bins[0x10] = 20;
  histogram.bins[0x20] = 40;
  profile.histograms.push_back(histogram);
  profile.arcs = {{kMain + 8, kRing, 3}, {kRing + 8, kLink, 7}, {kLink + 8, kRing, 4}};
  return profile;
}

class CutCyclesTest : public testing::Test {
 protected:
  ListingInput Prepare(CycleBreaking& breaking) {
    return PrepareListingFreeing(FreedParts::kArcs, symbols_, profile_, {}, {}, &breaking);
  }
  double Total(const ListingInput& input, uint32_t row) {
    return input.graph.nodes[row].self + input.graph.nodes[row].child;
  }
  profile::SymbolTable symbols_ =
      FunctionsAt({{kMain, "main"}, {kRing, "ring"}, {kLink, "link"}}, kEnd);
  profile::RawProfile profile_ = Profile();
};

TEST_F(CutCyclesTest, ArePrintedAndTheGraphKeepsThem) {
  CycleBreaking breaking;
  const ListingInput input = Prepare(breaking);
  EXPECT_EQ(PrintCutCycles(input, breaking),
            "cycle of 2 functions: 1 arcs with 4 calls break it; this is the minimum\n"
            "           4  -k link/ring\n");
  EXPECT_EQ(input.graph.cycles.size(), 1);
}

TEST_F(CutCyclesTest, AreLeftOutIfAskedFor) {
  CycleBreaking breaking;
  breaking.cut = true;
  const ListingInput input = Prepare(breaking);
  EXPECT_EQ(
      PrintCutCycles(input, breaking),
      "cycle of 2 functions: 1 arcs with 4 calls break it; this is the minimum; they are removed "
      "below\n"
      "           4  -k link/ring\n");
  EXPECT_TRUE(input.graph.cycles.empty());
  EXPECT_DOUBLE_EQ(Total(input, 1), 60);  // ring has the time of link now
  EXPECT_DOUBLE_EQ(Total(input, 0), 70);
  EXPECT_EQ(input.graph.nodes[1].calls, 3u);
}

TEST_F(CutCyclesTest, SayThatThereAreNone) {
  CycleBreaking breaking;
  breaking.least_members = 3;
  const ListingInput input = Prepare(breaking);
  EXPECT_EQ(PrintCutCycles(input, breaking), "no cycle has 3 functions or more\n");
}

constexpr uint64_t kTablesMain = 0x1000, kLeaf = 0x1100, kTablesRing = 0x1200, kTablesLink = 0x1300,
                   kTablesEnd = 0x1400;

// main calls leaf once and ring three times; ring and link call each other, and
// link calls leaf twice. Of 100 samples main has 10, leaf 30, ring 20, link 40.
profile::SymbolTable Symbols() {
  return FunctionsAt(
      {{kTablesMain, "main"}, {kLeaf, "leaf"}, {kTablesRing, "ring"}, {kTablesLink, "link"}},
      kTablesEnd);
}

profile::RawProfile TablesProfile() {
  profile::RawProfile profile;
  profile::Histogram histogram;
  histogram.low_pc = kTablesMain;
  histogram.high_pc = kTablesEnd;
  histogram.rate = 100;
  histogram.bins.assign((kTablesEnd - kTablesMain) / 0x10, 0);
  histogram.bins[0x00] = 10;
  histogram.bins[0x10] = 30;
  histogram.bins[0x20] = 20;
  histogram.bins[0x30] = 40;
  profile.histograms.push_back(histogram);
  profile.arcs = {{kTablesMain + 8, kLeaf, 1},
                  {kTablesMain + 16, kTablesRing, 3},
                  {kTablesRing + 8, kTablesLink, 7},
                  {kTablesLink + 8, kTablesRing, 4},
                  {kTablesLink + 16, kLeaf, 2}};
  return profile;
}

std::string Print(const ListingOptions& options) {
  const profile::SymbolTable symbols = Symbols();
  const ListingInput input = PrepareListing(symbols, TablesProfile(), options);
  std::string text;
  const auto sink = [&](absl::string_view piece) { text.append(piece.data(), piece.size()); };
  Pages pages(sink);
  PrintTables(input, options, pages);
  return text;
}

std::string Golden(const std::string& name) {
  std::ifstream file("analyzer/testdata/" + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// main's 10 samples at 100 a second are 0.1 s, and sqrt(10) of them 0.03 s.
// The calls in the graph, as "caller callee" by the functions' order.
std::vector<std::pair<uint32_t, uint32_t>> Calls(const SymspecLists& symspecs) {
  const profile::SymbolTable symbols = Symbols();
  ListingOptions options;
  options.symspecs = symspecs;
  const ListingInput input = PrepareListing(symbols, TablesProfile(), options);
  std::vector<std::pair<uint32_t, uint32_t>> calls;
  for (const GraphArc& arc : input.graph.arcs) calls.emplace_back(arc.caller, arc.callee);
  return calls;
}

using CallList = std::vector<std::pair<uint32_t, uint32_t>>;

TEST(Listings, LeaveOutTheCallsThatAreExcluded) {
  SymspecLists symspecs;
  symspecs.excluded_arcs = {{Symspec::Parse("main"), Symspec::Parse("leaf")},
                            {Symspec::Parse("main"), Symspec::Parse("ring")},
                            {Symspec::Parse("nobody"), Symspec::Parse("leaf")}};
  EXPECT_EQ(Calls(symspecs), (CallList{{2, 3}, {3, 2}, {3, 1}}));
}

TEST(Listings, HaveOnlyTheCallsThatAreIncludedOfKnownCallers) {
  SymspecLists symspecs;
  symspecs.included_arcs = {{Symspec::Parse("main"), Symspec::Parse("ring")},
                            {Symspec::Parse("link"), Symspec::Parse("leaf")}};
  symspecs.excluded_arcs = {{Symspec::Parse("main"), Symspec::Parse("ring")}};
  EXPECT_EQ(Calls(symspecs), (CallList{{0, 2}, {3, 1}}));
  symspecs.included_arcs = {{Symspec::Parse("main"), Symspec::Parse("nobody")}};
  EXPECT_EQ(Calls(symspecs), CallList());
  symspecs.included_arcs = {{Symspec::Parse("nobody"), Symspec::Parse("leaf")}};
  EXPECT_EQ(Calls(symspecs), (CallList{{0, 1}, {2, 3}, {3, 2}, {3, 1}}));
}

TEST(Listings, SayWhatQuantitiesAre) {
  const profile::SymbolTable symbols = FunctionsAt({{kTablesMain, "main"},
                                                    {kLeaf, "gprofhub_allocated_bytes"},
                                                    {kTablesRing, "ring"},
                                                    {kTablesLink, "link"}},
                                                   kTablesEnd);
  const ListingInput input = PrepareListing(symbols, TablesProfile(), {});
  std::string text;
  Pages pages([&](absl::string_view piece) { text.append(piece.data(), piece.size()); });
  PrintTables(input, {}, pages);
  EXPECT_NE(text.find("Each sample counts as 0.01 seconds.\n"
                      "The calls of gprofhub_allocated_bytes are bytes.\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("of 1.00 seconds\n\nThe calls of gprofhub_allocated_bytes are bytes.\n\n"),
            std::string::npos)
      << text;
}

TEST(ExpectedError, StandsBesideEachTime) {
  ListingOptions options;
  options.explain = false;
  options.expected_error = true;
  EXPECT_EQ(Print(options), Golden("cycle.txt-b--expected-error"));
}

TEST(ExpectedError, IsExplainedUnlessTheOutputIsToBeBrief) {
  ListingOptions options;
  options.expected_error = true;
  EXPECT_NE(Print(options).find("the square root\n"), std::string::npos);
  options.expected_error = false;
  EXPECT_EQ(Print(options).find("the square root\n"), std::string::npos);
}

TEST(ExpectedError, StandsBesideEachTimeInTraditionalStyleToo) {
  ListingOptions options;
  options.explain = false;
  options.traditional = true;
  options.expected_error = true;
  EXPECT_EQ(Print(options), Golden("cycle.txt-b-T--expected-error"));
}

}  // namespace

}  // namespace gprofhub::analyzer
