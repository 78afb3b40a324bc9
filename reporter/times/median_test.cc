#include "reporter/times/median.h"

#include <gtest/gtest.h>

namespace gprofhub::reporter {
namespace {

TEST(Median, IsTheMiddleOne) {
  EXPECT_EQ(Median({7}), 7);
  EXPECT_EQ(Median({9, 1, 5}), 5);
}

TEST(Median, OfAnEvenNumberIsTheUpperOfTheTwo) { EXPECT_EQ(Median({4, 1, 3, 2}), 3); }

TEST(Median, OfNoneIsZero) { EXPECT_EQ(Median({}), 0); }

}  // namespace
}  // namespace gprofhub::reporter
