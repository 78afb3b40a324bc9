#include "base/two_workers.h"

#include <gtest/gtest.h>

#include <vector>

namespace gprofhub::base {
namespace {

std::vector<size_t> OrderOfTurns(size_t count, size_t stop_at) {
  std::vector<size_t> order;
  InTurns(count, [&](Turns& turns) {
    while (const std::optional<size_t> item = turns.Take()) {
      turns.Wait(*item);
      order.push_back(*item);
      if (*item == stop_at) turns.Stop();
      turns.End(*item);
    }
  });
  return order;
}

TEST(Turns, ComeInOrder) {
  for (const size_t count : {0, 1, 2, 1000}) {
    const std::vector<size_t> order = OrderOfTurns(count, count);
    ASSERT_EQ(order.size(), count);
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(order[i], i);
  }
}

TEST(Turns, AfterAStopOnlyThoseThatWereTakenCome) {
  const std::vector<size_t> order = OrderOfTurns(1000, 10);
  EXPECT_GE(order.size(), 11u);
  EXPECT_LE(order.size(), 12u);
}

}  // namespace
}  // namespace gprofhub::base
