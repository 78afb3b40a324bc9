#include "analyzer/graph/call_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace gprofhub::analyzer {
namespace {

TEST(CallGraph, MakesOneArcOfThoseBetweenTheSameFunctions) {
  CallGraph graph({0, 0, 0});
  graph.AddCalls(0, 1, 2);
  graph.AddCalls(0, 2, 5);
  graph.AddCalls(0, 1, 3);
  graph.Finish();
  ASSERT_EQ(graph.arcs.size(), 2u);
  EXPECT_EQ(graph.arcs[0].count, 5u);
  EXPECT_EQ(graph.arcs[1].count, 5u);
  EXPECT_EQ(graph.nodes[1].calls, 5u);
  EXPECT_THAT(graph.ArcsFrom(0), ::testing::ElementsAre(1, 0)) << "the latest first";
  EXPECT_THAT(graph.ArcsTo(1), ::testing::ElementsAre(0));
}

TEST(CallGraph, CountsCallsOfAFunctionByItselfApart) {
  CallGraph graph({0, 0});
  graph.AddCalls(0, 1, 2);
  graph.AddCalls(1, 1, 7);
  graph.Finish();
  EXPECT_EQ(graph.nodes[1].calls, 2u);
  EXPECT_EQ(graph.nodes[1].self_calls, 7u);
}

TEST(CallGraph, KnowsWhichArcsAreWithinACycle) {
  CallGraph graph({0, 0, 0});
  graph.AddCalls(0, 1, 1);
  graph.AddCalls(1, 2, 1);
  graph.AddCalls(2, 1, 1);
  graph.AddCalls(0, 0, 1);
  graph.Finish();
  EXPECT_FALSE(graph.IsWithinCycle(graph.arcs[0]));
  EXPECT_TRUE(graph.IsWithinCycle(graph.arcs[1]));
  EXPECT_TRUE(graph.IsWithinCycle(graph.arcs[2]));
  EXPECT_TRUE(graph.IsWithinCycle(graph.arcs[3]));
}

TEST(Cycles, TakesSelfRecursionForNoCycle) {
  CallGraph graph({1, 1});
  graph.AddCalls(0, 1, 1);
  graph.AddCalls(1, 1, 9);
  graph.Finish();
  EXPECT_TRUE(graph.cycles.empty());
}

TEST(Cycles, JoinsOverlappingCyclesAndNumbersSeparateOnes) {
  CallGraph graph({0, 0, 0, 0, 0});
  graph.AddCalls(0, 1, 1);
  graph.AddCalls(1, 0, 1);
  graph.AddCalls(1, 2, 1);
  graph.AddCalls(2, 1, 1);
  graph.AddCalls(2, 3, 1);
  graph.AddCalls(3, 4, 1);
  graph.AddCalls(4, 3, 1);
  graph.Finish();
  ASSERT_EQ(graph.cycles.size(), 2u);
  EXPECT_EQ(graph.nodes[0].cycle, 1u);
  EXPECT_EQ(graph.nodes[2].cycle, 1u);
  EXPECT_EQ(graph.nodes[3].cycle, 2u);
  EXPECT_EQ(graph.nodes[4].cycle, 2u);
}

TEST(Cycles, OrdersCalleesBeforeCallersInALongChain) {
  constexpr uint32_t kFunctions = 200000;
  CallGraph graph(std::vector<double>(kFunctions, 1));
  for (uint32_t i = 0; i + 1 < kFunctions; ++i) graph.AddCalls(i, i + 1, 1);
  graph.Finish();
  ASSERT_EQ(graph.callees_first.size(), kFunctions);
  EXPECT_EQ(graph.callees_first.front(), kFunctions - 1);
  EXPECT_EQ(graph.callees_first.back(), 0u);
}

}  // namespace
}  // namespace gprofhub::analyzer
