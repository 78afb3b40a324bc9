#include "analyzer/graph/propagate.h"

#include <gtest/gtest.h>

#include <vector>

#include "analyzer/graph/call_graph.h"
#include "analyzer/testing/arc_times.h"

namespace gprofhub::analyzer {
namespace {

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
