#include "collector/byte_budget.h"

#include <gtest/gtest.h>

namespace gprofhub::collector {
namespace {

TEST(ByteBudget, IsSharedByAllReservations) {
  ByteBudget budget(10);
  ByteReservation first(budget);
  ByteReservation second(budget);
  EXPECT_TRUE(first.Grow(6));
  EXPECT_TRUE(second.Grow(4));
  EXPECT_FALSE(first.Grow(1));
  EXPECT_TRUE(first.Grow(0));
}

TEST(ByteBudget, WhatDoesNotFitIsNotTaken) {
  ByteBudget budget(10);
  ByteReservation reservation(budget);
  EXPECT_FALSE(reservation.Grow(11));
  EXPECT_FALSE(reservation.Grow(~uint64_t{0}));
  EXPECT_TRUE(reservation.Grow(10));
}

TEST(ByteBudget, TheEndOfAReservationGivesItBack) {
  ByteBudget budget(10);
  {
    ByteReservation first(budget);
    EXPECT_TRUE(first.Grow(3));
    EXPECT_TRUE(first.Grow(7));
  }
  EXPECT_TRUE(ByteReservation(budget).Grow(10));
}

}  // namespace
}  // namespace gprofhub::collector
