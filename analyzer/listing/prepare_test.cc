#include "analyzer/listing/prepare.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "analyzer/testing/functions.h"

namespace gprofhub::analyzer {

namespace {

constexpr uint64_t kMain = 0x1000, kCheap = 0x1100, kWork = 0x1200, kLibrary = 0x1300;
constexpr uint64_t kEnd = 0x1400;
constexpr uint64_t kCallOfWork = kMain + 16;  // where it returns to

profile::SymbolTable Symbols() {
  return FunctionsAt({{kMain, "main"}, {kCheap, "cheap"}, {kWork, "work"}, {kLibrary, "library"}},
                     kEnd);
}

// main calls work, and work library: all 60 samples are in library. They were taken while work had
// no frame, so the stacks are "main, library".
profile::RawProfile Profile() {
  profile::RawProfile profile;
  profile::Histogram histogram;
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

std::optional<ArcTime> FindTime(const ListingInput& input, const std::string& caller,
                                const std::string& callee) {
  const auto row = [&](const std::string& name) {
    uint32_t at = 0;
    while (at < input.rows.size() && input.rows.LinkageName(at) != name) ++at;
    return at;
  };
  return TimeBetween(input.graph, row(caller), row(callee));
}

// The stacks contain the call site in main, and the counted arcs the callee of that site.
TEST(ListingStacks, CountedCallsPutBackTheFrameThatAStackMisses) {
  const profile::SymbolTable symbols = Symbols();
  for (const FreedParts parts : {FreedParts::kArcs, FreedParts::kArcsAndBins}) {
    profile::RawProfile profile = Profile();
    const ListingInput input = PrepareListingFreeing(parts, symbols, profile, {});
    ASSERT_TRUE(FindTime(input, "main", "work").has_value());
    EXPECT_EQ(FindTime(input, "main", "work")->child, 60);
    ASSERT_TRUE(FindTime(input, "work", "library").has_value());
    EXPECT_EQ(FindTime(input, "work", "library")->self, 60);
    EXPECT_FALSE(FindTime(input, "main", "library").has_value());
    EXPECT_TRUE(profile.arcs.empty());
  }
}

TEST(ListingStacks, WithoutACountedCallTheStackIsTakenAsItIs) {
  const profile::SymbolTable symbols = Symbols();
  profile::RawProfile profile = Profile();
  profile.arcs.clear();
  const ListingInput input = PrepareListing(symbols, profile, {});
  EXPECT_FALSE(FindTime(input, "main", "work").has_value());
  ASSERT_TRUE(FindTime(input, "main", "library").has_value());
  EXPECT_EQ(FindTime(input, "main", "library")->self, 60);
}

}  // namespace

}  // namespace gprofhub::analyzer
