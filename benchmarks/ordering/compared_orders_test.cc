#include "benchmarks/ordering/compared_orders.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gprofhub::benchmarks {
namespace {

using Rows = std::vector<uint32_t>;

void AddFunction(analyzer::OrderingGraph& graph, uint64_t size, uint64_t calls) {
  graph.functions.emplace_back();
  graph.functions.back().size = size;
  graph.functions.back().calls = calls;
}

void AddArc(analyzer::OrderingGraph& graph, uint32_t caller, uint32_t callee, uint64_t count,
            uint32_t site = 0) {
  graph.arcs.push_back({caller, callee, site, count, 0});
}

TEST(OrderC3Test, CalleeFollowsItsMostFrequentCaller) {
  analyzer::OrderingGraph graph;
  AddFunction(graph, 100, 1);   // calls rarely
  AddFunction(graph, 100, 60);  // the callee
  AddFunction(graph, 100, 50);  // calls often
  AddArc(graph, 0, 1, 10);
  AddArc(graph, 2, 1, 50);
  EXPECT_EQ(OrderC3(graph), (Rows{2, 1, 0}));
}

TEST(OrderC3Test, CallSitesOfOneCallerAddUp) {
  analyzer::OrderingGraph graph;
  AddFunction(graph, 100, 1);    // one call site
  AddFunction(graph, 100, 100);  // the callee
  AddFunction(graph, 100, 1);    // two call sites
  AddArc(graph, 0, 1, 40);
  AddArc(graph, 2, 1, 30, 8);
  AddArc(graph, 2, 1, 30, 16);
  EXPECT_EQ(OrderC3(graph), (Rows{2, 1, 0}));
}

TEST(OrderC3Test, ClustersFitAPage) {
  analyzer::OrderingGraph graph;
  AddFunction(graph, 4000, 1);
  AddFunction(graph, 200, 1000);
  AddArc(graph, 0, 1, 1000);
  EXPECT_EQ(OrderC3(graph), (Rows{1, 0}));  // two clusters, the denser first
}

TEST(OrderCacheDirectedTest, CalleeOfALateCallSiteFollowsItsCaller) {
  analyzer::OrderingGraph graph;
  AddFunction(graph, 200, 50);
  AddFunction(graph, 1000, 1);
  AddArc(graph, 1, 0, 50, 999);
  EXPECT_EQ(OrderCacheDirected(graph), (Rows{1, 0}));
}

// 5,000 functions with pseudo-random calls.
analyzer::OrderingGraph LargeGraph() {
  constexpr uint32_t kFunctions = 5000;
  analyzer::OrderingGraph graph;
  for (uint32_t i = 0; i < kFunctions; ++i) AddFunction(graph, 64 + i * 37 % 512, 1 + i % 1000);
  for (uint32_t i = 0; i < 4 * kFunctions; ++i) {
    const uint32_t caller = static_cast<uint32_t>(uint64_t{i} * 7919 % kFunctions);
    const uint32_t callee =
        static_cast<uint32_t>((caller + uint64_t{i} * 48271 % 200 + 1) % kFunctions);
    AddArc(graph, caller, callee, 10 + i * 31 % 5000, i % 64);
  }
  return graph;
}

TEST(ComparedOrdersTest, EveryFunctionStandsOnce) {
  const analyzer::OrderingGraph graph = LargeGraph();
  for (const auto& order : {&OrderC3, &OrderCacheDirected}) {
    Rows rows = order(graph);
    std::sort(rows.begin(), rows.end());
    ASSERT_EQ(rows.size(), graph.functions.size());
    for (uint32_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], i);
  }
}

TEST(ComparedOrdersTest, OrdersRepeat) {
  for (const auto& order : {&OrderC3, &OrderCacheDirected}) {
    EXPECT_EQ(order(LargeGraph()), order(LargeGraph()));
  }
}

}  // namespace
}  // namespace gprofhub::benchmarks
