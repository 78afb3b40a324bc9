#include "analyzer/target/site_arc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace gprofhub::analyzer {
namespace {

TEST(SiteArcTest, MakesOneOfThoseBetweenTheSamePlaces) {
  std::vector<SiteArc> arcs = {
      {2, 5, 1, 10, 0, 0}, {0, 7, 2, 1, 1.5, 0}, {2, 5, 1, 3, 0, 2}, {0, 7, 2, 1, 0.5, 1}};
  MergeSiteArcs(3, arcs);
  ASSERT_EQ(arcs.size(), 2);
  EXPECT_EQ(Key(arcs[0]), std::tuple(0u, uint64_t{7}, 2u));
  EXPECT_EQ(arcs[0].count, 2);
  EXPECT_EQ(arcs[0].self, 2);
  EXPECT_EQ(arcs[0].child, 1);
  EXPECT_EQ(arcs[1].count, 13);
}

TEST(SiteArcTest, KeepsApartWhatDiffersInOnePlace) {
  std::vector<SiteArc> arcs = {
      {1, 1, 1, 1, 0, 0}, {0, 1, 1, 1, 0, 0}, {1, 0, 1, 1, 0, 0}, {1, 1, 0, 1, 0, 0}};
  MergeSiteArcs(2, arcs);
  EXPECT_EQ(arcs.size(), 4);
}

TEST(SiteArcTest, SortsByCallerThenPlaceThenCallee) {
  std::mt19937 random(1);
  std::vector<SiteArc> arcs;
  for (int i = 0; i < 2000; ++i) {
    arcs.push_back({static_cast<uint32_t>(random() % 20), random() % 9,
                    static_cast<uint32_t>(random() % 20), 1, 0, 0});
  }
  MergeSiteArcs(20, arcs);
  EXPECT_TRUE(std::is_sorted(arcs.begin(), arcs.end(),
                             [](const SiteArc& a, const SiteArc& b) { return Key(a) < Key(b); }));
  uint64_t calls = 0;
  for (const SiteArc& arc : arcs) calls += arc.count;
  EXPECT_EQ(calls, 2000);
}

}  // namespace
}  // namespace gprofhub::analyzer
