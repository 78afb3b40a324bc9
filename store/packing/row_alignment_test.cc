#include "store/packing/row_alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gprofhub::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RowAlignmentTest, RowsThatChangedBetweenOthersAreTheSameThing) {
  EXPECT_THAT(AlignRows({1, 20, 3, 4}, {1, 2, 3, 4}), ElementsAre(0, 1, 2, 3));
}

TEST(RowAlignmentTest, RowsThatCameAndWentHaveNone) {
  EXPECT_THAT(AlignRows({1, 2, 9, 3, 4}, {1, 2, 3, 4}), ElementsAre(0, 1, kNoRow, 2, 3));
  EXPECT_THAT(AlignRows({1, 4}, {1, 2, 3, 4}), ElementsAre(0, 3));
}

TEST(RowAlignmentTest, RowsThatSayTheSameAreAlignedFromBothEnds) {
  EXPECT_THAT(AlignRows({7, 7, 5, 7}, {7, 7, 7}), ElementsAre(0, 1, kNoRow, 2));
}

TEST(RowAlignmentTest, OfRowsThatCrossTheLongestListIsTaken) {
  EXPECT_THAT(AlignRows({3, 1, 2, 5}, {1, 2, 3, 4}), ElementsAre(kNoRow, 0, 1, kNoRow));
}

TEST(RowAlignmentTest, NoRows) {
  EXPECT_THAT(AlignRows({}, {1}), IsEmpty());
  EXPECT_THAT(AlignRows({1}, {}), ElementsAre(kNoRow));
}

}  // namespace
}  // namespace gprofhub::store
