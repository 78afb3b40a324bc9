#include "analyzer/graph/group_by.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/graph/sort_by_caller.h"

namespace gprofhub::analyzer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(GroupBy, HasTheLastItemOfEachGroupFirst) {
  const std::vector<std::string> words = {"be", "a", "of", "", "or", "I"};
  const Groups groups = GroupBy(words, 4, [](const std::string& word) { return word.size(); });
  EXPECT_THAT(groups[0], ElementsAre(3));
  EXPECT_THAT(groups[1], ElementsAre(5, 1));
  EXPECT_THAT(groups[2], ElementsAre(4, 2, 0));
  EXPECT_THAT(groups[3], IsEmpty());
}

TEST(SortByCaller, KeepsTheOrderOfEqualArcs) {
  struct Arc {
    uint32_t caller;
    int rank;
    char name;
  };
  std::vector<Arc> arcs = {{2, 1, 'a'}, {0, 5, 'b'}, {2, 0, 'c'}, {2, 1, 'd'}, {0, 5, 'e'}};
  SortByCaller(
      3, [](const Arc& a, const Arc& b) { return a.rank < b.rank; }, arcs);
  std::string names;
  for (const Arc& arc : arcs) names += arc.name;
  EXPECT_EQ(names, "becad");
}

}  // namespace
}  // namespace gprofhub::analyzer
