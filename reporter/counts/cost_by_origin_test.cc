#include "reporter/counts/cost_by_origin.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace gprofhub::reporter {
namespace {

// A target with this number of functions and these arcs (caller, callee).
MatchedTarget Target(size_t functions, const std::vector<std::pair<uint32_t, uint32_t>>& arcs) {
  MatchedTarget target;
  target.functions.resize(functions);
  for (const auto& [caller, callee] : arcs) {
    ArcPair& arc = target.arcs.emplace_back();
    arc.caller = caller;
    arc.callee = callee;
  }
  return target;
}

TEST(ShareOutCost, AllLiesWhereTheChangeBegan) {
  // 0 → 1 → 2: 0 calls 1 more often; 1 calls 2 as often per call as before.
  const MatchedTarget target = Target(3, {{0, 1}, {1, 2}});
  const CostByOrigin cost = ShareOutCost(target, {0, 0.1, 0.2}, {{10, 0}, {0, 20}});
  EXPECT_DOUBLE_EQ(cost.arcs[0], 0.3);
  EXPECT_DOUBLE_EQ(cost.arcs[1], 0);
  EXPECT_DOUBLE_EQ(cost.functions[1], 0.3);
  EXPECT_DOUBLE_EQ(cost.functions[2], 0.2);
}

TEST(ShareOutCost, PartsShareInProportion) {
  // 2 is called more by 0 itself, and by 1, whose calls increased.
  const MatchedTarget target = Target(3, {{0, 1}, {0, 2}, {1, 2}});
  const CostByOrigin cost = ShareOutCost(target, {0, 0, 0.4}, {{5, 0}, {30, 0}, {0, 10}});
  EXPECT_DOUBLE_EQ(cost.arcs[1], 0.3);
  EXPECT_DOUBLE_EQ(cost.arcs[0], 0.1);
}

TEST(ShareOutCost, ACycleLeavesOverTheArcThatCameIn) {
  // 0 → 1 ⇄ 2.
  const MatchedTarget target = Target(3, {{0, 1}, {1, 2}, {2, 1}});
  const CostByOrigin cost = ShareOutCost(target, {0, 0.1, 0.1}, {{1, 0}, {0, 50}, {0, 50}});
  EXPECT_NEAR(cost.arcs[0], 0.2, 1e-9);
}

TEST(ShareOutCost, WhatMayFollowTheCallerIsTheCallersToo) {
  const MatchedTarget target = Target(3, {{0, 1}, {1, 2}});
  const CostByOrigin cost = ShareOutCost(target, {0, 0.1, 0.2}, {{10, 0}, {20, 0, true}});
  EXPECT_DOUBLE_EQ(cost.arcs[1], 0.2);
  EXPECT_DOUBLE_EQ(cost.arcs[0], 0.3);
}

TEST(ShareOutCost, WhatMayFollowNobodyKeepsItsCost) {
  const MatchedTarget target = Target(2, {{kSpontaneous, 0}, {0, 1}});
  const CostByOrigin cost = ShareOutCost(target, {0.1, 0.2}, {{10, 0, true}, {0, 20}});
  EXPECT_DOUBLE_EQ(cost.arcs[0], 0.3);
  EXPECT_DOUBLE_EQ(cost.functions[0], 0.3);
}

}  // namespace
}  // namespace gprofhub::reporter
