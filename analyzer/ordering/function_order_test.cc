#include "analyzer/ordering/function_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "analyzer/ordering/ordering_graph.h"

namespace gprofhub::analyzer {

namespace {

struct Named {
  double gain = 0;
  uint32_t name = 0;
  bool operator<(const Named& other) const {
    return gain != other.gain ? gain < other.gain : name > other.name;
  }
};

bool Never(const Named&) { return false; }
void NoFetch(const Named&, size_t) {}

TEST(BestFirst, IsEmptyAtFirst) {
  EXPECT_FALSE(BestFirst<Named>().Take(Never, NoFetch).has_value());
}

TEST(BestFirst, GivesWhatASortedSetWouldWhileMoreComesIn) {
  std::mt19937_64 random(1);
  BestFirst<Named> queue;
  std::set<Named> expected;
  uint32_t name = 0;
  const auto push = [&] {
    // Of all magnitudes, many of them equal.
    const Named added = {std::ldexp(1 + static_cast<double>(random() % 100) / 100,
                                    static_cast<int>(random() % 80) - 40),
                         ++name};
    queue.Push(added);
    expected.insert(added);
  };
  for (int i = 0; i < 3000; ++i) push();
  for (int i = 0; i < 9000; ++i) {
    if (random() % 4 == 0) push();
    const std::optional<Named> best = queue.Take(Never, NoFetch);
    ASSERT_EQ(best.has_value(), !expected.empty());
    if (!best.has_value()) continue;
    EXPECT_EQ(best->name, std::prev(expected.end())->name);
    expected.erase(std::prev(expected.end()));
  }
}

TEST(BestFirst, TakesTheSmallestAndTheLargestGains) {
  BestFirst<Named> queue;
  queue.Push({5e-324, 1});
  queue.Push({1.7e308, 2});
  queue.Push({1, 3});
  for (const uint32_t expected : {2u, 3u, 1u})
    EXPECT_EQ(queue.Take(Never, NoFetch)->name, expected);
  EXPECT_FALSE(queue.Take(Never, NoFetch).has_value());
}

TEST(BestFirst, PassesOverWhatIsOver) {
  BestFirst<Named> queue;
  for (uint32_t name = 1; name <= 10; ++name) queue.Push({static_cast<double>(name), name});
  const auto is_odd = [](const Named& candidate) { return candidate.name % 2 == 1; };
  uint32_t given = 0;
  while (queue.Take(is_odd, NoFetch).has_value()) ++given;
  EXPECT_EQ(given, 5u);
}

TEST(BestFirst, GivesWhatWasPushedInThePlaceOfOneThatIsOver) {
  BestFirst<Named> queue;
  queue.Push({8, 1});
  queue.Push({7, 2});
  const auto is_over = [&](const Named& candidate) {
    if (candidate.name != 1) return false;
    queue.Push({2, 3});
    return true;
  };
  EXPECT_EQ(queue.Take(is_over, NoFetch)->name, 2u);
  EXPECT_EQ(queue.Take(is_over, NoFetch)->name, 3u);
  EXPECT_FALSE(queue.Take(is_over, NoFetch).has_value());
}

TEST(BestFirst, TellsOfCandidatesBeforeTheyAreGiven) {
  BestFirst<Named> queue;
  constexpr uint32_t kCount = 100;
  for (uint32_t name = 1; name <= kCount; ++name) queue.Push({1 + name * 1e-5, name});
  std::set<uint32_t> told;
  const auto fetch = [&](const Named& candidate, size_t turns) {
    if (turns == BestFirst<Named>::kNear) told.insert(candidate.name);
  };
  queue.Take(Never, fetch);
  told.clear();  // reported while the bucket was opened
  for (uint32_t name = kCount - 1; name > BestFirst<Named>::kNear + 1; --name) {
    EXPECT_EQ(queue.Take(Never, fetch)->name, name);
    EXPECT_TRUE(told.contains(name - BestFirst<Named>::kNear)) << name;
  }
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ChainNode Node(uint64_t size, double weight, uint32_t group = 0) {
  ChainNode node;
  node.size = size;
  node.weight = weight;
  node.group = group;
  return node;
}

TEST(DensityOrder, PutsTheDensestChainsFirst) {
  // Entries per byte: 1, 10, and of the last two together 5.
  const std::vector<ChainNode> nodes = {Node(100, 100), Node(10, 100), Node(10, 100), Node(10, 0)};
  EXPECT_THAT(InOrderOfDensity(nodes, {{0}, {1}, {3, 2}}), ElementsAre(1, 3, 2, 0));
}

TEST(DensityOrder, KeepsChainsOfOneDensityInTheirOrder) {
  const std::vector<ChainNode> nodes = {Node(8, 0), Node(16, 0), Node(4, 0)};
  EXPECT_THAT(InOrderOfDensity(nodes, {{2}, {0}, {1}}), ElementsAre(2, 0, 1));
}

TEST(DensityOrder, PutsGroupAfterGroup) {
  const std::vector<ChainNode> nodes = {Node(10, 1000, 2), Node(10, 1, 1), Node(10, 2, 1)};
  EXPECT_THAT(InOrderOfDensity(nodes, {{0}, {1}, {2}}), ElementsAre(2, 1, 0));
}

TEST(DensityOrder, TakesFunctionsWithoutSize) {
  EXPECT_THAT(InOrderOfDensity({Node(0, 1), Node(0, 2)}, {{0}, {1}}), ElementsAre(1, 0));
  EXPECT_THAT(InOrderOfDensity({}, {}), IsEmpty());
}

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
