#include "base/grouped.h"

#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gprofhub::base {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Grouped<char> Of(size_t groups, const std::vector<std::pair<size_t, char>>& items) {
  return Grouped<char>(groups, [&](const auto& add) {
    for (const auto& [group, item] : items) add(group, item);
  });
}

TEST(Grouped, ItemsOfAGroupStayInTheirOrder) {
  const Grouped<char> grouped = Of(4, {{2, 'c'}, {0, 'b'}, {2, 'a'}, {3, 'd'}, {2, 'b'}});
  EXPECT_THAT(grouped[0], ElementsAre('b'));
  EXPECT_THAT(grouped[1], IsEmpty());
  EXPECT_THAT(grouped[2], ElementsAre('c', 'a', 'b'));
  EXPECT_THAT(grouped[3], ElementsAre('d'));
}

TEST(Grouped, AllItemsStandGroupByGroup) {
  Grouped<char> grouped = Of(3, {{2, 'c'}, {0, 'b'}, {2, 'a'}});
  EXPECT_THAT(grouped.all(), ElementsAre('b', 'c', 'a'));
  grouped[2][0] = 'd';
  EXPECT_THAT(grouped.all(), ElementsAre('b', 'd', 'a'));
}

TEST(Grouped, WithoutItemsAllAreEmpty) {
  EXPECT_THAT(Of(1, {})[0], IsEmpty());
  Of(0, {});
}

}  // namespace

}  // namespace gprofhub::base
