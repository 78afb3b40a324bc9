#include "base/memory/consumed_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace gprofhub::base {
namespace {

TEST(ConsumedMemory, WhatWasReadIsGivenBackAndWhatComesAfterIsNot) {
  constexpr size_t kSize = size_t{4} << 20;
  std::string array(kSize, 'x');
  ConsumedMemory read(array.data() + 1);
  read.ReadUpTo(array.data() + 100);  // too small for a batch
  EXPECT_EQ(std::count(array.begin(), array.end(), 'x'), kSize);
  for (const size_t end : {kSize / 2, kSize - 1}) {
    read.ReadUpTo(array.data() + end);
    EXPECT_EQ(array[0], 'x');  // outside the array
    EXPECT_EQ(array[end / 2], '\0');
    EXPECT_EQ(std::count(array.begin() + end, array.end(), 'x'), kSize - end);
  }
  array[kSize / 2] = 'y';  // released memory is writable
  EXPECT_EQ(array[kSize / 2], 'y');
}

}  // namespace
}  // namespace gprofhub::base
