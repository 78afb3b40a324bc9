#include "analyzer/ordering/gprof_order.h"

#include <gtest/gtest.h>

namespace gprofhub::analyzer {
namespace {

using Rows = std::vector<uint32_t>;

// Function 0 calls all others fifty times, and has no caller.
std::vector<WeightedArc> WithMain(uint32_t functions, std::vector<WeightedArc> arcs) {
  for (uint32_t row = 1; row < functions; ++row) arcs.push_back({0, row, 50});
  return arcs;
}

std::vector<bool> CalledButMain(uint32_t functions) {
  std::vector<bool> called(functions, true);
  called[0] = false;
  return called;
}

TEST(OrderGprof, PutsUncalledFunctionsLast) {
  EXPECT_EQ(OrderGprof({false, true, false, true}, {}), (Rows{1, 3, 0, 2}));
}

TEST(OrderGprof, PutsACallerBeforeItsCallee) {
  EXPECT_EQ(OrderGprof(CalledButMain(4), WithMain(4, {{3, 1, 10}})), (Rows{3, 1, 2, 0}));
}

TEST(OrderGprof, StartsWithTheMostFrequentCalls) {
  EXPECT_EQ(OrderGprof(CalledButMain(5), WithMain(5, {{2, 1, 10}, {4, 3, 20}})),
            (Rows{4, 3, 2, 1, 0}));
}

TEST(OrderGprof, AttachesAtTheNearerEnd) {
  // 4 3, then 2 before 4, then 1 behind 3.
  EXPECT_EQ(OrderGprof(CalledButMain(5), WithMain(5, {{4, 3, 90}, {4, 2, 80}, {1, 3, 70}})),
            (Rows{2, 4, 3, 1, 0}));
}

TEST(OrderGprof, InTheMiddlePutsACallerInFrontAndACalleeBehind) {
  const std::vector<WeightedArc> chain = {{4, 3, 900}, {2, 4, 800}};  // 2 4 3
  std::vector<WeightedArc> caller = chain;
  caller.push_back({1, 4, 700});
  EXPECT_EQ(OrderGprof(CalledButMain(5), WithMain(5, caller)), (Rows{1, 2, 4, 3, 0}));
  std::vector<WeightedArc> callee = chain;
  callee.push_back({4, 1, 700});
  EXPECT_EQ(OrderGprof(CalledButMain(5), WithMain(5, callee)), (Rows{2, 4, 3, 1, 0}));
}

TEST(OrderGprof, DoesNotAttachByTheLastHundredth) {
  // As GNU gprof: 20 of 71 calls are among the first 99%, but the last arc is not.
  EXPECT_EQ(OrderGprof({false, true, true, true}, {{2, 3, 20}, {3, 1, 30}, {0, 2, 21}}),
            (Rows{3, 1, 2, 0}));
  EXPECT_EQ(OrderGprof({false, true, true, true}, {{2, 3, 20}, {3, 1, 30}, {0, 2, 20}}),
            (Rows{2, 3, 1, 0}));
}

TEST(OrderGprof, IgnoresRecursion) {
  EXPECT_EQ(OrderGprof({true, true}, {{1, 1, 1000}, {1, 0, 10}}), (Rows{1, 0}));
}

TEST(OrderGprof, HasEveryFunctionOnceInALargeGraph) {
  constexpr uint32_t kFunctions = 1000;
  std::vector<WeightedArc> ring;
  for (uint32_t row = 0; row < kFunctions; ++row) ring.push_back({row, (row + 1) % kFunctions, 5});
  const Rows order = OrderGprof(std::vector<bool>(kFunctions, true), ring);
  ASSERT_EQ(order.size(), kFunctions);
  for (uint32_t row = 0; row < kFunctions; ++row) EXPECT_EQ(order[row], row);
}

}  // namespace
}  // namespace gprofhub::analyzer
