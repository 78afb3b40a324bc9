#include "reporter/text/numbers.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gprofhub::reporter {
namespace {

TEST(HumanCount, GroupsThousands) {
  EXPECT_EQ(HumanCount(0), "0");
  EXPECT_EQ(HumanCount(999), "999");
  EXPECT_EQ(HumanCount(std::nan("")), "nan");
  EXPECT_EQ(HumanCount(HUGE_VAL), "inf");
  EXPECT_EQ(HumanCount(1000), "1,000");
  EXPECT_EQ(HumanCount(239477), "239,477");
  EXPECT_EQ(HumanCount(1234567890), "1,234,567,890");
  EXPECT_EQ(HumanCount(-1000), "-1,000");
  EXPECT_EQ(HumanCount(1.5), "1.5");
  EXPECT_EQ(HumanCount(12345.5), "12,346");
}

TEST(HumanTime, PicksTheUnit) {
  EXPECT_EQ(HumanTime(0, "seconds"), "0 s");
  EXPECT_EQ(HumanTime(0.0123, "seconds"), "12.3 ms");
  EXPECT_EQ(HumanTime(1.234, "seconds"), "1.23 s");
  EXPECT_EQ(HumanTime(1234, "seconds"), "1234 s");
  EXPECT_EQ(HumanTime(1234, "cyc\nles"), "1,234 cyc<U+000A>les");
}

TEST(HumanEffect, RoundsToWhatMatters) {
  EXPECT_EQ(HumanEffect(53.88), "+54%");
  EXPECT_EQ(HumanEffect(-54.4), "-54%");
  EXPECT_EQ(HumanEffect(5.25), "+5.2%");
  EXPECT_EQ(HumanEffect(0.01), "+<0.1%");
  EXPECT_EQ(HumanEffect(900), "×10.0");
}

TEST(HumanShare, NeverRoundsSomethingToNothing) {
  EXPECT_EQ(HumanShare(0.0321), "3.2%");
  EXPECT_EQ(HumanShare(0.5), "50%");
  EXPECT_EQ(HumanShare(0.00001), "<0.1%");
}

}  // namespace
}  // namespace gprofhub::reporter
