#include "base/median.h"

#include <gtest/gtest.h>

namespace gprofhub::base {

namespace {

TEST(Median, IsTheMiddleOne) {
  EXPECT_EQ(Median({7}), 7);
  EXPECT_EQ(Median({9, 1, 5}), 5);
}

TEST(Median, OfAnEvenNumberIsTheMeanOfTheTwo) {
  EXPECT_EQ(Median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(Median({8, 2}), 5);
}

TEST(Median, OfNoneIsZero) { EXPECT_EQ(Median({}), 0); }

}  // namespace

}  // namespace gprofhub::base
