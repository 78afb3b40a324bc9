#include "analyzer/listing_stacks.h"

#include <gtest/gtest.h>

#include <string>

#include "analyzer/listing_input.h"
#include "analyzer/testing/functions.h"

namespace gprofhub {
namespace {

constexpr uint64_t kMain = 0x1000, kCheap = 0x1100, kWork = 0x1200, kLibrary = 0x1300;
constexpr uint64_t kEnd = 0x1400;
constexpr uint64_t kCallOfWork = kMain + 16;  // where it returns to

SymbolTable Symbols() {
  return FunctionsAt({{kMain, "main"}, {kCheap, "cheap"}, {kWork, "work"}, {kLibrary, "library"}},
                     kEnd);
}

// main calls work, and work library: all 60 samples are in library. They were
// taken while work had no frame, so that the stacks say "main, library".
RawProfile Profile() {
  RawProfile profile;
  Histogram histogram;
  histogram.low_pc = kMain;
  histogram.high_pc = kEnd;
  histogram.rate = 100;
  histogram.bins.assign((kEnd - kMain) / 0x100, 0);
  histogram.bins[3] = 60;
  profile.histograms.push_back(histogram);
  profile.arcs = {{kCallOfWork, kWork, 1}};
  profile.stacks = {{kLibrary + 4, 1, 60}, {kCallOfWork, -1, 0}};
  return profile;
}

const GraphArc* FindArc(const ListingInput& input, const std::string& caller,
                        const std::string& callee) {
  for (const GraphArc& arc : input.graph.arcs) {
    if (input.rows.LinkageName(arc.caller) == caller &&
        input.rows.LinkageName(arc.callee) == callee) {
      return &arc;
    }
  }
  return nullptr;
}

// The stacks say where main was left, and the counted arcs whom it called there.
TEST(ListingStacks, CountedCallsPutBackTheFrameThatAStackMisses) {
  const SymbolTable symbols = Symbols();
  for (const FreedParts parts : {FreedParts::kArcs, FreedParts::kArcsAndBins}) {
    RawProfile profile = Profile();
    const ListingInput input = PrepareListingFreeing(parts, symbols, profile, {});
    ASSERT_NE(FindArc(input, "main", "work"), nullptr);
    EXPECT_EQ(FindArc(input, "main", "work")->child, 60);
    ASSERT_NE(FindArc(input, "work", "library"), nullptr);
    EXPECT_EQ(FindArc(input, "work", "library")->self, 60);
    EXPECT_EQ(FindArc(input, "main", "library"), nullptr);
    EXPECT_TRUE(profile.arcs.empty());
  }
}

TEST(ListingStacks, WithoutACountedCallTheStackIsTakenAsItIs) {
  const SymbolTable symbols = Symbols();
  RawProfile profile = Profile();
  profile.arcs.clear();
  const ListingInput input = PrepareListing(symbols, profile, {});
  EXPECT_EQ(FindArc(input, "main", "work"), nullptr);
  ASSERT_NE(FindArc(input, "main", "library"), nullptr);
  EXPECT_EQ(FindArc(input, "main", "library")->self, 60);
}

}  // namespace
}  // namespace gprofhub
