#include "collector/calls/fair_share.h"

#include <gtest/gtest.h>

namespace gprofhub::collector {
namespace {

TEST(FairShareTest, OneTakerGetsHalf) {
  FairShare share(100);
  EXPECT_TRUE(share.Take("a", 50));
  EXPECT_FALSE(share.Take("a", 1));
}

TEST(FairShareTest, SomebodyNewAlwaysFindsAPart) {
  FairShare share(120);
  ASSERT_TRUE(share.Take("a", 60));
  EXPECT_TRUE(share.Take("b", 30));
  EXPECT_FALSE(share.Take("b", 1));
  EXPECT_TRUE(share.Take("c", 15));
  EXPECT_FALSE(share.Take("a", 1));
}

TEST(FairShareTest, InPartsManyGreedyOnesLeaveMore) {
  FairShare share(412, 2);
  for (const char* taker : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}) {
    while (share.Take(taker, 1)) {
    }
  }
  EXPECT_TRUE(share.Take("new", 1));
}

TEST(FairShareTest, WhatIsGivenBackCanBeTaken) {
  FairShare share(10);
  ASSERT_TRUE(share.Take("a", 5));
  share.Give("a", 5);
  EXPECT_TRUE(share.Take("b", 5));
  EXPECT_FALSE(share.Take("a", 3));
  EXPECT_TRUE(share.Take("a", 2));
}

TEST(FairShareTest, RefusesMoreThanThereIs) {
  FairShare share(10);
  EXPECT_FALSE(share.Take("a", 11));
  EXPECT_FALSE(share.Take("a", ~uint64_t{0}));
  EXPECT_TRUE(share.Take("a", 5));
}

TEST(HoldingTest, GoesBackAtItsEnd) {
  FairShare share(8);
  {
    Holding holding(share);
    EXPECT_TRUE(holding.Take("a", 0));
    EXPECT_TRUE(holding.Take("a", 3));
    EXPECT_TRUE(holding.Take("a", 1));
    EXPECT_FALSE(holding.Take("a", 1));
    EXPECT_FALSE(share.Take("a", 1));
  }
  EXPECT_TRUE(share.Take("a", 4));
}

}  // namespace
}  // namespace gprofhub::collector
