#include "base/components.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gprofhub::base {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Components, OfNoNodesAreNone) {
  const Components none = FindComponents(0, {});
  EXPECT_EQ(none.count(), 0u);
  EXPECT_THAT(none.ByNode(), IsEmpty());
}

TEST(Components, ThoseThatArcsLeadToComeFirst) {
  const Components found = FindComponents(4, {{0, 1}, {1, 2}, {0, 3}, {3, 2}});
  EXPECT_THAT(found.nodes, ElementsAre(2, 1, 3, 0));
  EXPECT_THAT(found.begins, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(found.ByNode(), ElementsAre(3, 1, 0, 2));
}

TEST(Components, NodesThatReachEachOtherAreOneInTheOrderInWhichTheyAreMet) {
  const Components found = FindComponents(5, {{0, 2}, {2, 1}, {1, 4}, {4, 2}, {4, 3}});
  ASSERT_EQ(found.count(), 3u);
  EXPECT_THAT(found.Members(0), ElementsAre(3));
  EXPECT_THAT(found.Members(1), ElementsAre(2, 1, 4));
  EXPECT_THAT(found.Members(2), ElementsAre(0));
  EXPECT_THAT(found.ByNode(), ElementsAre(2, 1, 1, 0, 1));
}

TEST(Components, CyclesThatShareANodeAreOne) {
  const Components found = FindComponents(4, {{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 3}});
  ASSERT_EQ(found.count(), 2u);
  EXPECT_THAT(found.Members(1), ElementsAre(0, 1, 2));
}

TEST(Components, ANodeWithAnArcToItselfStandsAlone) {
  const Components found = FindComponents(2, {{0, 0}, {0, 1}, {0, 1}});
  EXPECT_THAT(found.nodes, ElementsAre(1, 0));
  EXPECT_EQ(found.count(), 2u);
}

TEST(Components, AskForSuccessorsOncePerNodeInAscendingOrder) {
  std::vector<uint32_t> asked;
  const Components found = FindComponents(3, 2, [&](uint32_t node, std::vector<uint32_t>& to) {
    asked.push_back(node);
    if (node > 0) to.push_back(node - 1);
  });
  EXPECT_THAT(asked, ElementsAre(0, 1, 2));
  EXPECT_THAT(found.nodes, ElementsAre(0, 1, 2));
}

TEST(Components, AChainMayBeLongerThanTheStack) {
  constexpr uint32_t kNodes = 1000000;
  const Components found =
      FindComponents(kNodes, kNodes - 1, [](uint32_t node, std::vector<uint32_t>& to) {
        if (node + 1 < kNodes) to.push_back(node + 1);
      });
  ASSERT_EQ(found.count(), kNodes);
  EXPECT_EQ(found.nodes.front(), kNodes - 1);
  EXPECT_EQ(found.nodes.back(), 0u);
}

}  // namespace

}  // namespace gprofhub::base
