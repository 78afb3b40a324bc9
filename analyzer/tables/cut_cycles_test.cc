#include "analyzer/tables/cut_cycles.h"

#include <gtest/gtest.h>

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
            "cycle of 2 functions: 1 arcs with 4 calls break it; fewer cannot\n"
            "           4  -k link/ring\n");
  EXPECT_EQ(input.graph.cycles.size(), 1);
}

TEST_F(CutCyclesTest, AreLeftOutIfAskedFor) {
  CycleBreaking breaking;
  breaking.cut = true;
  const ListingInput input = Prepare(breaking);
  EXPECT_EQ(PrintCutCycles(input, breaking),
            "cycle of 2 functions: 1 arcs with 4 calls break it; fewer cannot; they are left out "
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

}  // namespace
}  // namespace gprofhub::analyzer
