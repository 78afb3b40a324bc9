#include "base/parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace gprofhub::base {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ForEachFetched, FetchesBeforeItVisitsAndNotBehindTheEnd) {
  std::vector<std::string> calls;
  ForEachFetched(
      4, 7, [&](size_t i) { calls.push_back("visit " + std::to_string(i)); },
      FetchAhead{2, [&](size_t i) { calls.push_back("far " + std::to_string(i)); }},
      FetchAhead{1, [&](size_t i) { calls.push_back("near " + std::to_string(i)); }});
  EXPECT_THAT(calls, ElementsAre("far 6", "near 5", "visit 4", "near 6", "visit 5", "visit 6"));
}

TEST(ForEachFetched, DoesNothingWithoutItems) {
  std::vector<size_t> visited;
  ForEachFetched(
      3, 3, [&](size_t i) { visited.push_back(i); }, FetchAhead{1, [](size_t) { FAIL(); }});
  EXPECT_THAT(visited, IsEmpty());
}

TEST(RunBoth, CallsEachOnceWhetherOrNotItIsWorthAThread) {
  for (const bool worth_a_thread : {false, true}) {
    int first = 0;
    int second = 0;
    RunBoth(
        worth_a_thread, [&] { ++first; }, [&] { ++second; });
    EXPECT_EQ(first, 1);
    EXPECT_EQ(second, 1);
  }
}

TEST(ForBothHalves, CoverEachItemOnce) {
  for (const size_t count : {0, 1, 2, 3, 1000}) {
    for (const size_t worth_a_thread : {size_t{0}, count + 1}) {
      std::vector<int> visits(count);
      ForBothHalves(count, worth_a_thread, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) ++visits[i];
      });
      EXPECT_EQ(visits, std::vector<int>(count, 1));
    }
  }
}

std::vector<size_t> OrderOfTurns(size_t count, size_t stop_at) {
  std::vector<size_t> order;
  WorkInOrder(count, [&](OrderedItems& items) {
    while (const std::optional<size_t> item = items.Take()) {
      items.WaitForTurn(*item);
      order.push_back(*item);
      if (*item == stop_at) items.Stop();
      items.EndTurn(*item);
    }
  });
  return order;
}

TEST(WorkInOrder, GivesTurnsInOrder) {
  for (const size_t count : {0, 1, 2, 1000}) {
    std::vector<size_t> all(count);
    std::iota(all.begin(), all.end(), size_t{0});
    EXPECT_EQ(OrderOfTurns(count, count), all);
  }
}

TEST(WorkInOrder, AfterAStopOnlyWhatWasTakenHasATurn) {
  const std::vector<size_t> order = OrderOfTurns(1000, 10);
  EXPECT_GE(order.size(), 11u);
  EXPECT_LE(order.size(), 12u);
}

}  // namespace

}  // namespace gprofhub::base
