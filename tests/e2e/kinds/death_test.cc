// Processes that die while they are looked at: 21 calls in all.
#include <gtest/gtest.h>

#include <cstdlib>

#include "work.h"

[[noreturn]] void work_and_die() {
  work();
  std::abort();
}

// The child is a fork: 5 calls here, 1 there.
TEST(ChosenDeathTest, Fast) {
  GTEST_FLAG_SET(death_test_style, "fast");
  work_times(5);
  EXPECT_DEATH(work_and_die(), "");
}

// The child is the program started again, and runs this test up to its death: 7 calls here, 7 + 1
// there.
TEST(ChosenDeathTest, Threadsafe) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  work_times(7);
  EXPECT_DEATH(work_and_die(), "");
}
