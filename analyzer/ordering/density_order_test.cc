#include "analyzer/ordering/density_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gprofhub::analyzer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ChainNode Node(uint64_t size, double weight, uint32_t group = 0) {
  ChainNode node;
  node.size = size;
  node.weight = weight;
  node.group = group;
  return node;
}

TEST(DensityOrder, PutsTheDensestChainsFirst) {
  // Entries per byte: 1, 10, and of the last two together 5.
  const std::vector<ChainNode> nodes = {Node(100, 100), Node(10, 100), Node(10, 100), Node(10, 0)};
  EXPECT_THAT(InOrderOfDensity(nodes, {{0}, {1}, {3, 2}}), ElementsAre(1, 3, 2, 0));
}

TEST(DensityOrder, KeepsChainsOfOneDensityInTheirOrder) {
  const std::vector<ChainNode> nodes = {Node(8, 0), Node(16, 0), Node(4, 0)};
  EXPECT_THAT(InOrderOfDensity(nodes, {{2}, {0}, {1}}), ElementsAre(2, 0, 1));
}

TEST(DensityOrder, PutsGroupAfterGroup) {
  const std::vector<ChainNode> nodes = {Node(10, 1000, 2), Node(10, 1, 1), Node(10, 2, 1)};
  EXPECT_THAT(InOrderOfDensity(nodes, {{0}, {1}, {2}}), ElementsAre(2, 1, 0));
}

TEST(DensityOrder, TakesFunctionsWithoutSize) {
  EXPECT_THAT(InOrderOfDensity({Node(0, 1), Node(0, 2)}, {{0}, {1}}), ElementsAre(1, 0));
  EXPECT_THAT(InOrderOfDensity({}, {}), IsEmpty());
}

}  // namespace
}  // namespace gprofhub::analyzer
