#include "profile/histogram_ranges.h"

#include <gtest/gtest.h>

#include <map>

namespace gprofhub::profile {
namespace {

struct Range {
  uint64_t high_pc;
};

TEST(Overlap, NeedsASharedAddress) {
  EXPECT_TRUE(Overlap(10, 20, 19, 30));
  EXPECT_TRUE(Overlap(19, 30, 10, 20));
  EXPECT_TRUE(Overlap(10, 20, 12, 15));
  EXPECT_FALSE(Overlap(10, 20, 20, 30));
  EXPECT_FALSE(Overlap(20, 30, 10, 20));
}

TEST(FindOverlapping, FindsTheFirstThatSharesAnAddress) {
  const std::map<uint64_t, Range> ranges = {{10, {20}}, {20, {30}}, {50, {60}}};
  const auto found = [&](uint64_t low, uint64_t high) -> uint64_t {
    const auto range = FindOverlapping(ranges, low, high);
    return range == ranges.end() ? 0 : range->first;
  };
  EXPECT_EQ(found(10, 20), 10u);
  EXPECT_EQ(found(15, 25), 10u);
  EXPECT_EQ(found(5, 11), 10u);
  EXPECT_EQ(found(5, 100), 10u);
  EXPECT_EQ(found(29, 51), 20u);
  EXPECT_EQ(found(59, 60), 50u);
  EXPECT_EQ(found(30, 50), 0u);
  EXPECT_EQ(found(0, 10), 0u);
  EXPECT_EQ(found(60, 70), 0u);
}

}  // namespace
}  // namespace gprofhub::profile
