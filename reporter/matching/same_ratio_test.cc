#include "reporter/matching/same_ratio.h"

#include <gtest/gtest.h>

namespace gprofhub::reporter {
namespace {

TEST(SameRatio, DoesNotRound) {
  const uint64_t large = 0xFFFFFFFFFFFFFFFF;
  EXPECT_TRUE(SameRatio(1, 3, 2, 6));
  EXPECT_TRUE(SameRatio(large, large - 1, large, large - 1));
  EXPECT_FALSE(SameRatio(large, large - 1, large - 1, large - 2));
}

}  // namespace
}  // namespace gprofhub::reporter
