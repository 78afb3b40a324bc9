#include "profile/recording/counts.h"

#include <gtest/gtest.h>

#include <tuple>

namespace gprofhub::profile {

namespace {

constexpr uint64_t kBase = 0x10000;

gprofhub_site Call(uint32_t counter, int32_t from, int32_t self) {
  return {GPROFHUB_SITE_CALL, counter, self, from};
}
gprofhub_site Indirect(uint32_t counter, int32_t from) {
  return {GPROFHUB_SITE_INDIRECT, counter, 0, from};
}
gprofhub_site Entry(uint32_t counter, int32_t self) {
  return {GPROFHUB_SITE_ENTRY, counter, self, 0};
}
gprofhub_site Function(int32_t self) { return {GPROFHUB_SITE_FUNCTION, 0, self, 0}; }
gprofhub_site Block(uint32_t counter, int32_t self) {
  return {GPROFHUB_SITE_BLOCK, counter, self, 0};
}

SiteCounts::Words Words(std::vector<uint64_t> counted) { return {std::move(counted), {}, false}; }

// (from, self, count), addresses minus the base; from -1: unknown.
using Arc = std::tuple<int64_t, int64_t, uint64_t>;
std::vector<Arc> Arcs(const SiteCounts& counts) {
  std::vector<Arc> arcs;
  for (const CountedArc& arc : counts.Arcs()) {
    arcs.emplace_back(
        arc.from == GPROFHUB_CALLER_UNKNOWN ? -1 : static_cast<int64_t>(arc.from - kBase),
        static_cast<int64_t>(arc.self - kBase), arc.count);
  }
  return arcs;
}

TEST(SiteCountsTest, AddsUpThreads) {
  SiteCounts counts;
  ASSERT_TRUE(counts.AddWords(3, Words({2})));
  ASSERT_TRUE(counts.AddWords(3, Words({5})));
  ASSERT_TRUE(counts.AddSites(3, kBase, {Call(0, 0x20, -0x100), Function(-0x100)}));
  EXPECT_EQ(Arcs(counts), (std::vector<Arc>{{0x20, -0x100, 7}}));
}

TEST(SiteCountsTest, TakesCallsOfWhatIsNotCountedForNone) {
  SiteCounts counts;
  ASSERT_TRUE(counts.AddWords(0, Words({2, kBase + 0x500, 4, 0, 0})));
  ASSERT_TRUE(counts.AddSites(0, kBase, {Call(0, 0x20, 0x400), Indirect(1, 0x30)}));
  EXPECT_FALSE(counts.AddTableArc(kBase + 0x30, kBase + 0x600, 9));
  EXPECT_TRUE(Arcs(counts).empty());
  // Not from a site: code built with -pg.
  EXPECT_TRUE(counts.AddTableArc(kBase + 0x70, kBase + 0x600, 9));
}

TEST(SiteCountsTest, TakesAnEntrysCountBeyondKnownCallsForSpontaneous) {
  SiteCounts counts;
  // Words: a call; two pairs; an entry.
  ASSERT_TRUE(counts.AddWords(0, Words({2, kBase + 0x100, 3, kBase + 0x200, 1, 20})));
  ASSERT_TRUE(counts.AddSites(
      0, kBase, {Call(0, 0x20, 0x100), Indirect(1, 0x30), Entry(5, 0x100), Function(0x200)}));
  EXPECT_TRUE(counts.AddTableArc(kBase + 0x30, kBase + 0x100, 5));
  EXPECT_EQ(
      Arcs(counts),
      (std::vector<Arc>{
          {0x20, 0x100, 2}, {0x30, 0x100, 3}, {0x30, 0x200, 1}, {-1, 0x100, 20 - 2 - 3 - 5}}));
}

TEST(SiteCountsTest, GivesATailCallToWhomItReturns) {
  SiteCounts counts;
  // A tail jump's pairs; those of one to a function that is not counted; an entry.
  ASSERT_TRUE(
      counts.AddWords(0, Words({kBase + 0x20, 3, kBase + 0x30, 4, kBase + 0x20, 5, 0, 0, 9})));
  const gprofhub_site tail = {GPROFHUB_SITE_TAIL, 0, 0x100, 0};
  const gprofhub_site other = {GPROFHUB_SITE_TAIL, 4, 0x200, 0};
  ASSERT_TRUE(counts.AddSites(0, kBase, {tail, other, Entry(8, 0x100)}));
  const uint64_t from = (kBase + 0x40) | GPROFHUB_TAIL_CONTEXT;
  EXPECT_TRUE(counts.AddTableArc(from, kBase + 0x100, 1));
  EXPECT_FALSE(counts.AddTableArc(from, kBase + 0x200, 1));
  EXPECT_EQ(Arcs(counts), (std::vector<Arc>{{0x20, 0x100, 3}, {0x30, 0x100, 4}, {-1, 0x100, 1}}));
}

// Killed between a call's count and the entry's.
TEST(SiteCountsTest, NeverCountsLessThanNothing) {
  SiteCounts counts;
  ASSERT_TRUE(counts.AddWords(0, Words({8, 7})));
  ASSERT_TRUE(counts.AddSites(0, kBase, {Call(0, 0x20, 0x100), Entry(1, 0x100)}));
  EXPECT_EQ(Arcs(counts), (std::vector<Arc>{{0x20, 0x100, 8}}));
}

TEST(SiteCountsTest, LeavesOutWhatWasCountedWhileOff) {
  const std::vector<gprofhub_site> sites = {Call(0, 0x20, 0x100), Function(0x100)};
  // Off from 10 to 30, on until 35.
  SiteCounts on;
  ASSERT_TRUE(on.AddWords(0, {{35}, {uint64_t{0} - 10 + 30}, false}));
  ASSERT_TRUE(on.AddSites(0, kBase, sites));
  EXPECT_EQ(Arcs(on), (std::vector<Arc>{{0x20, 0x100, 15}}));
  // Off since 10, and killed.
  SiteCounts off;
  ASSERT_TRUE(off.AddWords(0, {{35}, {uint64_t{0} - 10}, true}));
  ASSERT_TRUE(off.AddSites(0, kBase, sites));
  EXPECT_EQ(Arcs(off), (std::vector<Arc>{{0x20, 0x100, 10}}));
}

TEST(SiteCountsTest, KeepsBlocksApart) {
  SiteCounts counts;
  ASSERT_TRUE(counts.AddWords(0, Words({4, 0})));
  ASSERT_TRUE(counts.AddSites(0, kBase, {Block(0, 0x40), Block(1, 0x50)}));
  ASSERT_EQ(counts.blocks().size(), 1);
  EXPECT_EQ(counts.blocks()[0].pc, kBase + 0x40);
  EXPECT_EQ(counts.blocks()[0].count, 4);
}

TEST(SiteCountsTest, AddsUpTheTermsOfABlockAndGivesItsOtherLinesTheSame) {
  const auto plus = [](uint32_t counter, int32_t self) -> gprofhub_site {
    return {GPROFHUB_SITE_BLOCK_PLUS, counter, self, 0};
  };
  const auto minus = [](uint32_t counter, int32_t self) -> gprofhub_site {
    return {GPROFHUB_SITE_BLOCK_MINUS, counter, self, 0};
  };
  const gprofhub_site also = {GPROFHUB_SITE_BLOCK_ALSO, 0, 0x44, 0};
  SiteCounts counts;
  // A term may make one thread's sum negative that another makes positive again.
  ASSERT_TRUE(counts.AddWords(0, Words({4, 7, 12})));
  ASSERT_TRUE(counts.AddWords(0, Words({5, 1, 0})));
  ASSERT_TRUE(counts.AddSites(0, kBase,
                              {Block(0, 0x40), plus(1, 0x40), minus(2, 0x40), also,
                               // Below 0: killed within a block.
                               Block(0, 0x50), minus(2, 0x50), Block(1, 0x60)}));
  std::vector<std::pair<uint64_t, uint64_t>> blocks;
  for (const CountedBlock& block : counts.blocks()) blocks.push_back({block.pc, block.count});
  EXPECT_EQ(blocks, (std::vector<std::pair<uint64_t, uint64_t>>{
                        {kBase + 0x40, 5}, {kBase + 0x44, 5}, {kBase + 0x60, 8}}));
}

TEST(SiteCountsTest, RefusesCountersThatAreNotThere) {
  for (const std::vector<gprofhub_site>& sites : std::vector<std::vector<gprofhub_site>>{
           {Call(2, 0, 0)}, {Indirect(0, 0)}, {Call(0, 0, 0), Entry(0, 0)}, {Block(~0u, 0)}}) {
    SiteCounts counts;
    ASSERT_TRUE(counts.AddWords(0, Words({1, 1})));
    EXPECT_FALSE(counts.AddSites(0, kBase, sites));
  }
}

TEST(SiteCountsTest, RefusesThreadsAndExclusionsOfOtherSizes) {
  SiteCounts counts;
  ASSERT_TRUE(counts.AddWords(0, Words({1, 1})));
  EXPECT_FALSE(counts.AddWords(0, Words({1})));
  EXPECT_FALSE(counts.AddWords(0, {{1, 1}, {1}, false}));
}

TEST(SiteCountsTest, RefusesASetDescribedTwice) {
  SiteCounts counts;
  ASSERT_TRUE(counts.AddSites(0, kBase, {Call(0, 0x20, 0x100)}));
  EXPECT_FALSE(counts.AddSites(0, kBase, {}));
}

}  // namespace

}  // namespace gprofhub::profile
