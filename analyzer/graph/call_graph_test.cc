#include "analyzer/graph/call_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/testing/functions.h"

namespace gprofhub::analyzer {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(GroupBy, HasTheLastItemOfEachGroupFirst) {
  const std::vector<std::string> words = {"be", "a", "of", "", "or", "I"};
  const Groups groups = GroupBy(words, 4, [](const std::string& word) { return word.size(); });
  EXPECT_THAT(groups[0], ElementsAre(3));
  EXPECT_THAT(groups[1], ElementsAre(5, 1));
  EXPECT_THAT(groups[2], ElementsAre(4, 2, 0));
  EXPECT_THAT(groups[3], IsEmpty());
}

TEST(SortByCaller, KeepsTheOrderOfEqualArcs) {
  struct Arc {
    uint32_t caller;
    int rank;
    char name;
  };
  std::vector<Arc> arcs = {{2, 1, 'a'}, {0, 5, 'b'}, {2, 0, 'c'}, {2, 1, 'd'}, {0, 5, 'e'}};
  SortByCaller(
      3, [](const Arc& a, const Arc& b) { return a.rank < b.rank; }, arcs);
  std::string names;
  for (const Arc& arc : arcs) names += arc.name;
  EXPECT_EQ(names, "becad");
}

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

void Complete(CallGraph& graph) {
  graph.Finish();
  Propagate(graph);
}

// The GNU gprof manual, "How Mutually Recursive Functions Are Described": main
// enters the cycle of a and b once; both call c.
TEST(Propagate, GivesTheManualsFiguresForACycle) {
  enum { kMain, kA, kB, kC };
  CallGraph graph({16, 75, 102, 0});
  graph.AddCalls(kMain, kA, 1);
  graph.AddCalls(kA, kB, 3);
  graph.AddCalls(kB, kA, 2);
  graph.AddCalls(kA, kC, 3);
  graph.AddCalls(kB, kC, 3);
  Complete(graph);

  ASSERT_EQ(graph.cycles.size(), 1u);
  const GraphNode& whole = graph.nodes[graph.CycleNode(1)];
  EXPECT_EQ(whole.calls, 1u);
  EXPECT_EQ(whole.self_calls, 5u);
  EXPECT_DOUBLE_EQ(whole.self, 177);
  EXPECT_DOUBLE_EQ(whole.child, 0);
  EXPECT_EQ(graph.nodes[kA].cycle, 1u);
  EXPECT_EQ(graph.nodes[kB].cycle, 1u);
  EXPECT_EQ(graph.nodes[kC].cycle, 0u);
  EXPECT_EQ(graph.nodes[kA].calls, 3u);
  EXPECT_EQ(graph.nodes[kC].calls, 6u);
  EXPECT_DOUBLE_EQ(graph.nodes[kMain].child, 177);
  EXPECT_DOUBLE_EQ(TimeBetween(graph, kA, kB)->self, 0);  // calls inside propagate nothing
}

// Listings order functions and cycles by time, to the last bit.
TEST(Propagate, ACycleIsWorthWhatItHandsToItsOnlyCaller) {
  enum { kMain, kA, kB, kC };
  // 0.1 + 0.2 + 0.3 depends on the order of the additions, and so do longer sums of these.
  for (const std::vector<double>& selfs :
       {std::vector<double>{0, 0.1, 0.2, 0.3}, std::vector<double>{0, 0.3, 0.1, 0.2},
        std::vector<double>{0, 0.2, 0.3, 0.1}}) {
    CallGraph graph(selfs);
    graph.AddCalls(kMain, kA, 1);
    graph.AddCalls(kA, kC, 2);
    graph.AddCalls(kC, kB, 3);
    graph.AddCalls(kB, kA, 4);
    Complete(graph);
    EXPECT_EQ(graph.nodes[kMain].PropagatedTime(),
              graph.nodes[graph.CycleNode(1)].PropagatedTime());
  }
}

// Graham, Kessler, McKusick 1982, figure 4: the entry of EXAMPLE.
TEST(Propagate, GivesThePapersFiguresForExample) {
  enum { kCaller1, kCaller2, kExample, kSub1, kSub1b, kSub2, kSub3, kOther, kLeaf };
  CallGraph graph({0, 0, 50, 200, 100, 0, 0, 0, 450});
  graph.AddCalls(kCaller1, kExample, 4);
  graph.AddCalls(kCaller2, kExample, 6);
  graph.AddCalls(kExample, kExample, 4);
  graph.AddCalls(kExample, kSub1, 20);
  graph.AddCalls(kOther, kSub1b, 20);
  graph.AddCalls(kSub1, kSub1b, 7);
  graph.AddCalls(kSub1b, kSub1, 5);
  graph.AddCalls(kExample, kSub2, 1);
  graph.AddCalls(kOther, kSub2, 4);
  graph.AddCalls(kOther, kSub3, 5);
  graph.AddCalls(kSub1, kLeaf, 4);  // 2.00 s for the cycle's callees
  graph.AddCalls(kSub2, kLeaf, 5);  // 2.50 s for SUB2's
  Complete(graph);

  EXPECT_EQ(graph.nodes[kExample].calls, 10u);
  EXPECT_EQ(graph.nodes[kExample].self_calls, 4u);
  EXPECT_NEAR(graph.nodes[kExample].self, 50, 1e-9);
  EXPECT_NEAR(graph.nodes[kExample].child, 300, 1e-9);
  EXPECT_NEAR(TimeBetween(graph, kCaller1, kExample)->self, 20, 1e-9);
  EXPECT_NEAR(TimeBetween(graph, kCaller1, kExample)->child, 120, 1e-9);
  EXPECT_NEAR(TimeBetween(graph, kCaller2, kExample)->self, 30, 1e-9);
  EXPECT_NEAR(TimeBetween(graph, kCaller2, kExample)->child, 180, 1e-9);
  EXPECT_NEAR(TimeBetween(graph, kExample, kSub1)->self, 150, 1e-9);
  EXPECT_NEAR(TimeBetween(graph, kExample, kSub1)->child, 100, 1e-9);
  EXPECT_NEAR(TimeBetween(graph, kExample, kSub2)->self, 0, 1e-9);
  EXPECT_NEAR(TimeBetween(graph, kExample, kSub2)->child, 50, 1e-9);
  EXPECT_EQ(graph.nodes[graph.CycleNode(1)].calls, 40u);
}

TEST(Propagate, KeepsTheTimeOfExcludedFunctionsFromTheirCallers) {
  CallGraph graph({10, 20, 5});
  graph.nodes[1].role = TimeRole::kExcluded;
  graph.AddCalls(0, 1, 3);
  graph.AddCalls(0, 2, 1);
  Complete(graph);
  EXPECT_DOUBLE_EQ(graph.nodes[0].child, 5);
}

TEST(Propagate, SpontaneousCallsTakeTheirShareAndHandItToNobody) {
  CallGraph graph({0, 40});
  graph.AddCalls(0, 1, 3);
  graph.AddSpontaneous(1, 1);
  Complete(graph);
  EXPECT_DOUBLE_EQ(graph.nodes[0].child, 30);
  EXPECT_DOUBLE_EQ(graph.nodes[1].propagated_self, 40);
}

TEST(Propagate, CallsThatWereNotCountedHandOnNothing) {
  CallGraph graph({0, 40});
  graph.AddCalls(0, 1, 0);
  Complete(graph);
  EXPECT_DOUBLE_EQ(graph.nodes[0].child, 0);
}

TEST(Propagate, ACyclesCallersShareItsTimeByTheirCallsOfAnyMember) {
  enum { kFirst, kSecond, kA, kB };
  CallGraph graph({0, 0, 30, 10});
  graph.AddCalls(kFirst, kA, 1);
  graph.AddCalls(kSecond, kB, 3);
  graph.AddCalls(kA, kB, 5);
  graph.AddCalls(kB, kA, 5);
  Complete(graph);
  EXPECT_DOUBLE_EQ(graph.nodes[kFirst].child, 10);
  EXPECT_DOUBLE_EQ(graph.nodes[kSecond].child, 30);
}

}  // namespace

}  // namespace gprofhub::analyzer
