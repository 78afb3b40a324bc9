#include "analyzer/graph/break_cycles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace gprofhub::analyzer {

namespace {

struct Call {
  uint32_t from;
  uint32_t to;
  uint64_t count;
};

CallGraph GraphOf(size_t functions, const std::vector<Call>& calls) {
  CallGraph graph(std::vector<double>(functions, 1.0));
  for (const Call& call : calls) graph.AddCalls(call.from, call.to, call.count);
  graph.Finish();
  return graph;
}

constexpr BreakLimits kHeuristic = {.exact_members = 0};

size_t ArcsIn(const std::vector<BrokenCycle>& broken) {
  size_t arcs = 0;
  for (const BrokenCycle& cycle : broken) arcs += cycle.arcs.size();
  return arcs;
}
uint64_t CallsIn(const std::vector<BrokenCycle>& broken) {
  uint64_t calls = 0;
  for (const BrokenCycle& cycle : broken) calls += cycle.calls;
  return calls;
}

// The minimum of (arcs, calls) over all orders of the functions.
std::pair<size_t, uint64_t> ByTryingAll(size_t functions, const CallGraph& graph) {
  std::vector<uint32_t> place(functions);
  std::iota(place.begin(), place.end(), 0);
  std::pair<size_t, uint64_t> best = {SIZE_MAX, 0};
  do {
    std::pair<size_t, uint64_t> cost = {0, 0};
    for (const GraphArc& arc : graph.arcs) {
      if (place[arc.callee] >= place[arc.caller]) continue;
      cost.first += 1;
      cost.second += arc.count;
    }
    best = std::min(best, cost);
  } while (std::next_permutation(place.begin(), place.end()));
  return best;
}

TEST(BreakCyclesTest, TakesTheArcsWithTheFewestCalls) {
  // 0 calls 1 a thousand times, and 1 calls 0 once; 2 calls itself, which is not a cycle.
  const CallGraph graph = GraphOf(3, {{0, 1, 1000}, {1, 0, 1}, {1, 2, 5}, {2, 2, 9}});
  const std::vector<BrokenCycle> broken = BreakCycles(graph, 2);
  ASSERT_EQ(broken.size(), 1);
  ASSERT_EQ(broken[0].arcs.size(), 1);
  EXPECT_EQ(graph.arcs[broken[0].arcs[0]].caller, 1u);
  EXPECT_EQ(graph.arcs[broken[0].arcs[0]].callee, 0u);
  EXPECT_EQ(broken[0].calls, 1u);
  EXPECT_TRUE(broken[0].IsSmallest());
}

TEST(BreakCyclesTest, PrefersFewerArcsToFewerCalls) {
  // The arc 0 to 1 is in both cycles; the two arcs back have fewer calls together.
  const CallGraph graph = GraphOf(3, {{0, 1, 100}, {1, 0, 1}, {1, 2, 50}, {2, 0, 1}});
  const std::vector<BrokenCycle> broken = BreakCycles(graph, 2);
  ASSERT_EQ(ArcsIn(broken), 1);
  EXPECT_EQ(CallsIn(broken), 100u);
}

TEST(BreakCyclesTest, LeavesSmallerCyclesThanAskedFor) {
  const CallGraph graph = GraphOf(5, {{0, 1, 1}, {1, 0, 1}, {2, 3, 1}, {3, 4, 1}, {4, 2, 1}});
  EXPECT_EQ(BreakCycles(graph, 2).size(), 2);
  const std::vector<BrokenCycle> large = BreakCycles(graph, 3);
  ASSERT_EQ(large.size(), 1);
  EXPECT_EQ(graph.cycles[large[0].cycle - 1].size(), 3);
  EXPECT_TRUE(BreakCycles(graph, 4).empty());
}

TEST(BreakCyclesTest, IsTheBestOfAllOrdersOnSmallGraphs) {
  std::mt19937 random(20041);
  for (int round = 0; round < 300; ++round) {
    const size_t functions = 2 + random() % 6;
    std::vector<Call> calls;
    for (size_t i = random() % (3 * functions) + 2; i > 0; --i) {
      const auto from = static_cast<uint32_t>(random() % functions);
      const auto to = static_cast<uint32_t>(random() % functions);
      calls.push_back({from, to, random() % 9});
    }
    const CallGraph graph = GraphOf(functions, calls);
    const auto [arcs, count] = ByTryingAll(functions, graph);
    const std::vector<BrokenCycle> exact = BreakCycles(graph, 2);
    EXPECT_EQ(ArcsIn(exact), arcs) << "round " << round;
    EXPECT_EQ(CallsIn(exact), count) << "round " << round;
    EXPECT_TRUE(WithoutArcs(graph, exact).cycles.empty()) << "round " << round;

    const std::vector<BrokenCycle> heuristic = BreakCycles(graph, 2, kHeuristic);
    EXPECT_GE(ArcsIn(heuristic), arcs) << "round " << round;
    size_t at_least = 0;
    for (const BrokenCycle& cycle : heuristic) at_least += cycle.at_least;
    EXPECT_LE(at_least, arcs) << "round " << round;
    EXPECT_TRUE(WithoutArcs(graph, heuristic).cycles.empty()) << "round " << round;
  }
}

// Cycles in a chain, each with one function of the next: none shares an arc with another, so each
// needs a cut of its own, and one is enough.
TEST(BreakCyclesTest, KnowsThatItsAnswerIsBestInALargeCycle) {
  constexpr uint32_t kCycles = 300, kLength = 10;
  std::vector<Call> calls;
  for (uint32_t cycle = 0; cycle < kCycles; ++cycle) {
    const uint32_t first = cycle * (kLength - 1);
    for (uint32_t i = 0; i + 1 < kLength; ++i) calls.push_back({first + i, first + i + 1, 7});
    calls.push_back({first + kLength - 1, first, 3});
  }
  const CallGraph graph = GraphOf(kCycles * (kLength - 1) + 1, calls);
  ASSERT_EQ(graph.cycles.size(), 1);
  const std::vector<BrokenCycle> broken = BreakCycles(graph, 2);
  ASSERT_EQ(broken.size(), 1);
  EXPECT_EQ(broken[0].arcs.size(), kCycles);
  EXPECT_TRUE(broken[0].IsSmallest());
  EXPECT_EQ(broken[0].calls, 3 * kCycles);
}

TEST(BreakCyclesTest, BreaksWhateverTheBoundOfSteps) {
  std::mt19937 random(7);
  std::vector<Call> calls;
  for (uint32_t i = 0; i < 400; ++i) {
    calls.push_back({i, (i + 1) % 400, 2});
    calls.push_back({i, static_cast<uint32_t>(random() % 400), 1});
    calls.push_back({i, static_cast<uint32_t>(random() % 400), 1});
  }
  const CallGraph graph = GraphOf(400, calls);
  size_t fewest = SIZE_MAX;
  for (const uint64_t steps : {0, 100, 10000, 50000000}) {
    const std::vector<BrokenCycle> broken =
        BreakCycles(graph, 2, {.exact_members = 16, .steps = steps});
    EXPECT_TRUE(WithoutArcs(graph, broken).cycles.empty()) << steps;
    EXPECT_LE(broken[0].at_least, broken[0].arcs.size());
    fewest = std::min(fewest, broken[0].arcs.size());
  }
  EXPECT_EQ(ArcsIn(BreakCycles(graph, 2)), fewest);
  // No arc can be spared.
  std::vector<BrokenCycle> spared = BreakCycles(graph, 2);
  for (size_t i = 0; i < spared[0].arcs.size(); ++i) {
    std::vector<BrokenCycle> less = spared;
    less[0].arcs.erase(less[0].arcs.begin() + static_cast<ptrdiff_t>(i));
    EXPECT_FALSE(WithoutArcs(graph, less).cycles.empty());
  }
}

TEST(BreakCyclesTest, WhatIsLeftKeepsItsCallsAndSamples) {
  CallGraph graph({1.0, 2.0, 3.0});
  graph.AddSpontaneous(0, 4);
  graph.AddCalls(0, 1, 10);
  graph.AddCalls(1, 0, 2);
  graph.AddCalls(1, 2, 6);
  graph.Finish();
  const CallGraph left = WithoutArcs(graph, BreakCycles(graph, 2));
  EXPECT_EQ(left.arcs.size(), 2);
  EXPECT_EQ(left.nodes[0].calls, 4u);
  EXPECT_EQ(left.nodes[0].self, 1.0);
  EXPECT_EQ(left.nodes[1].calls, 10u);
  EXPECT_EQ(left.nodes[2].calls, 6u);
  EXPECT_TRUE(left.cycles.empty());
}

}  // namespace

}  // namespace gprofhub::analyzer
