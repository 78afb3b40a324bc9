#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analyzer/ordering/cache_directed.h"
#include "analyzer/ordering/coverage_order.h"
#include "analyzer/ordering/ordering_graph.h"

namespace gprofhub::analyzer {
namespace {

using Rows = std::vector<uint32_t>;

void AddFunction(profile::ComputedProfile& profile, const std::string& name, uint64_t size,
                 uint64_t calls) {
  profile::FunctionCost function;
  function.name = static_cast<uint32_t>(profile.strings.size());
  function.size = size;
  function.calls = calls;
  profile.strings.push_back(name);
  profile.functions.push_back(function);
}

void AddArc(profile::ComputedProfile& profile, uint32_t caller, uint32_t callee, uint64_t count,
            uint64_t site = 0) {
  profile::ArcCost arc;
  arc.caller = caller;
  arc.callee = callee;
  arc.site_offset = site;
  arc.count = count;
  profile.arcs.push_back(arc);
}

OrderingGraph GraphOf(const std::vector<profile::ComputedProfile>& runs) {
  OrderingGraphBuilder builder;
  for (const profile::ComputedProfile& run : runs) builder.AddRun(run);
  return builder.Take();
}

std::vector<std::string> Names(const OrderingGraph& graph, const Rows& order) {
  std::vector<std::string> names;
  for (const uint32_t row : order) names.push_back(graph.functions[row].name);
  return names;
}

TEST(OrderingGraph, AddsUpWhatIsTheSameFunctionOverRuns) {
  profile::ComputedProfile one;
  AddFunction(one, "main", 100, 0);
  AddFunction(one, "parse", 40, 1000);
  AddArc(one, 0, 1, 1000, 8);
  profile::ComputedProfile two;
  AddFunction(two, "parse", 50, 2);
  const OrderingGraph graph = GraphOf({one, two});
  ASSERT_EQ(graph.functions.size(), 2u);
  EXPECT_EQ(graph.functions[1].calls, 1002u);
  EXPECT_EQ(graph.functions[1].size, 50u);
  EXPECT_EQ(graph.functions[1].runs, 2u);
  EXPECT_EQ(graph.functions[0].runs, 1u);
  ASSERT_EQ(graph.arcs.size(), 1u);
  EXPECT_EQ(graph.arcs[0].count, 1000u);
  EXPECT_DOUBLE_EQ(graph.arcs[0].pull, std::pow(1000.0, 0.8));
}

TEST(OrderingGraph, KeepsStaticFunctionsOfTwoFilesApart) {
  profile::ComputedProfile one;
  AddFunction(one, "helper", 10, 1);
  one.functions[0].is_static = true;
  one.functions[0].file = static_cast<uint32_t>(one.strings.size());
  profile::ComputedProfile two = one;
  one.strings.push_back("a.c");
  two.strings.push_back("b.c");
  EXPECT_EQ(GraphOf({one, two}).functions.size(), 2u);
}

TEST(OrderingGraph, TakesTheCommitsOfOneTargetForOneRun) {
  profile::ComputedProfile before;
  AddFunction(before, "main", 100, 0);
  AddFunction(before, "gone", 100, 5);
  profile::ComputedProfile after;
  AddFunction(after, "main", 120, 0);
  OrderingGraphBuilder builder;
  builder.AddRun(after, 0.75);
  builder.AddToRun(before, 0.25);
  builder.AddRun(after, 1);
  const OrderingGraph graph = builder.Take();
  EXPECT_EQ(graph.runs, 2u);
  EXPECT_DOUBLE_EQ(graph.weight, 2);
  EXPECT_EQ(graph.functions[0].runs, 2u);
  EXPECT_DOUBLE_EQ(graph.functions[0].weight, 2);
  EXPECT_EQ(graph.functions[1].runs, 1u);
  EXPECT_DOUBLE_EQ(graph.functions[1].weight, 0.25);
}

TEST(OrderingGraph, LeavesOutExcludedFunctionsRecursionAndCallsFromOutside) {
  profile::ComputedProfile profile;
  AddFunction(profile, "a", 10, 5);
  AddFunction(profile, "b", 10, 7);
  AddFunction(profile, "c", 10, 7);
  AddArc(profile, 0, 0, 100);
  AddArc(profile, 3, 1, 7);
  AddArc(profile, 2, 1, 7);
  OrderingGraphBuilder builder;
  builder.AddRun(profile, 1, {false, false, true});
  const OrderingGraph graph = builder.Take();
  EXPECT_EQ(graph.functions.size(), 2u);
  EXPECT_TRUE(graph.arcs.empty());
}

TEST(CacheDirectedChains, PutsTheCalleeOfALateCallSiteBehindItsCaller) {
  // From its last byte, behind is 1 byte away; before would be 1,199.
  const std::vector<ChainNode> nodes = {{1000, 1, 0}, {200, 50, 0}};
  EXPECT_EQ(CacheDirectedChains(nodes, {{0, 1, 999, 50}}, {}),
            (std::vector<std::vector<uint32_t>>{{0, 1}}));
}

TEST(CacheDirectedChains, PutsTheCalleeOfAnEarlyCallSiteInFront) {
  // From its first byte, in front is 10 bytes away, behind 1,000.
  const std::vector<ChainNode> nodes = {{1000, 1, 0}, {10, 50, 0}};
  EXPECT_EQ(CacheDirectedChains(nodes, {{0, 1, 0, 50}}, {}),
            (std::vector<std::vector<uint32_t>>{{1, 0}}));
}

TEST(CacheDirectedChains, PrefersTheHeavierCall) {
  const std::vector<ChainNode> nodes = {{100, 1, 0}, {100, 1, 0}, {100, 60, 0}};
  const std::vector<std::vector<uint32_t>> chains =
      CacheDirectedChains(nodes, {{0, 2, 99, 10}, {1, 2, 99, 50}}, {});
  ASSERT_EQ(chains.size(), 1u);
  const auto at = [&](uint32_t node) {
    return std::find(chains[0].begin(), chains[0].end(), node) - chains[0].begin();
  };
  EXPECT_EQ(at(2), at(1) + 1);
}

TEST(CacheDirectedChains, ChainsNothingAcrossGroups) {
  const std::vector<ChainNode> nodes = {{100, 1, 0}, {100, 50, 1}};
  EXPECT_EQ(CacheDirectedChains(nodes, {{0, 1, 99, 50}}, {}).size(), 2u);
}

TEST(OrderByCoverage, PutsWhatMostRunsNeedFirstAndOneRunsFeatureLast) {
  // Every run starts; two of four read; each of two runs has code of its own, the
  // third run's being the smaller.
  std::vector<profile::ComputedProfile> runs(4);
  for (profile::ComputedProfile& run : runs) AddFunction(run, "start", 100, 1);
  AddFunction(runs[0], "read", 100, 1000);
  AddFunction(runs[1], "read", 100, 1000);
  AddFunction(runs[1], "feature", 5000, 1000);
  AddFunction(runs[2], "corner", 100, 1);
  const OrderingGraph graph = GraphOf(runs);
  EXPECT_EQ(Names(graph, OrderByCoverage(graph)),
            (std::vector<std::string>{"start", "read", "corner", "feature"}));
}

TEST(OrderByCoverage, CountsARunAsOftenAsItsWeightSays) {
  profile::ComputedProfile production;
  AddFunction(production, "serve", 100, 1);
  profile::ComputedProfile test;
  AddFunction(test, "check", 100, 1000);
  OrderingGraphBuilder builder;
  builder.AddRun(test);
  builder.AddRun(production, /*weight=*/9);
  const OrderingGraph graph = builder.Take();
  EXPECT_EQ(Names(graph, OrderByCoverage(graph)), (std::vector<std::string>{"serve", "check"}));
}

// A program of 5,000 functions in 8 runs, its calls pseudo-random; `change` alters
// one count in a hundred by a tenth.
OrderingGraph LargeGraph(bool change) {
  constexpr uint32_t kFunctions = 5000;
  std::vector<profile::ComputedProfile> runs(8);
  for (uint32_t run = 0; run < runs.size(); ++run) {
    for (uint32_t i = 0; i < kFunctions; ++i) {
      AddFunction(runs[run], "f" + std::to_string(i), 64 + i * 37 % 512, 1 + i % 1000);
    }
    for (uint32_t i = 0; i < 4 * kFunctions; ++i) {
      const uint32_t caller = static_cast<uint32_t>(uint64_t{i} * 7919 % kFunctions);
      const uint32_t callee =
          static_cast<uint32_t>((caller + uint64_t{i} * 48271 % 200 + 1) % kFunctions);
      uint64_t count = 10 + i * 31 % 5000;
      if (change && i % 100 == 7) count += count / 10;
      AddArc(runs[run], caller, callee, count, i % 64);
    }
  }
  return GraphOf(runs);
}

TEST(OrderByCoverage, HasEveryFunctionOnce) {
  const OrderingGraph graph = LargeGraph(/*change=*/false);
  Rows rows = OrderByCoverage(graph);
  std::sort(rows.begin(), rows.end());
  ASSERT_EQ(rows.size(), graph.functions.size());
  for (uint32_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], i);
}

TEST(OrderByCoverage, IsTheSameEachTime) {
  EXPECT_EQ(OrderByCoverage(LargeGraph(/*change=*/false)),
            OrderByCoverage(LargeGraph(/*change=*/false)));
}

// The functions whose predecessor differs between the two orders.
double Churn(const Rows& before, const Rows& after) {
  std::vector<uint32_t> in_front(before.size() + 1, UINT32_MAX);
  for (size_t i = 1; i < before.size(); ++i) in_front[before[i]] = before[i - 1];
  size_t moved = 0;
  for (size_t i = 1; i < after.size(); ++i) moved += in_front[after[i]] != after[i - 1] ? 1 : 0;
  return static_cast<double>(moved) / static_cast<double>(after.size());
}

TEST(OrderByCoverage, MovesFewFunctionsWhenFewCountsChange) {
  EXPECT_LT(Churn(OrderByCoverage(LargeGraph(false)), OrderByCoverage(LargeGraph(true))), 0.25);
}

}  // namespace
}  // namespace gprofhub::analyzer
