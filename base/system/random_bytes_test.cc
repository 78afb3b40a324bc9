#include "base/system/random_bytes.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::base {
namespace {

TEST(RandomBytesTest, AreAsManyAsAreAskedForAndNeverTheSame) {
  EXPECT_EQ(RandomBytes(0)->size(), 0u);
  EXPECT_EQ(RandomBytes(256)->size(), 256u);
  // Two equal values of 32 bytes have a probability of 2^-256.
  EXPECT_NE(*RandomBytes(32), *RandomBytes(32));
}

}  // namespace
}  // namespace gprofhub::base
