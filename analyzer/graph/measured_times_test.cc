#include "analyzer/graph/measured_times.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "analyzer/graph/call_graph.h"
#include "analyzer/testing/functions.h"

namespace gprofhub::analyzer {

namespace {

constexpr uint64_t kRoot = 0x100, kLeaf = 0x200;

// Functions 0 and 1 at these addresses.
FrameFunction FunctionAt(uint64_t address) {
  if (address < kRoot) return {};
  return address < kLeaf ? FrameFunction{0, kRoot} : FrameFunction{1, kLeaf};
}

std::vector<StackNode> Resolve(const std::vector<profile::StackFrame>& frames, double weight = 1) {
  return ResolveStacks(
      frames.size(), [&](size_t i) -> const profile::StackFrame& { return frames[i]; },
      [](size_t, uint64_t address) { return FunctionAt(address); }, weight);
}

TEST(ResolveStacks, CallersAreWhereTheirCallIs) {
  // main ends with the call: the return address is leaf's first.
  const std::vector<StackNode> forest = Resolve({{kLeaf, -1, 0}, {kLeaf, 0, 3}});
  EXPECT_EQ(forest[0].function, 0u);
  EXPECT_EQ(forest[0].site, kLeaf - kRoot);
  EXPECT_EQ(forest[1].function, 1u);
  EXPECT_EQ(forest[1].parent, 0);
  EXPECT_EQ(forest[1].samples, 3);
}

TEST(ResolveStacks, ParentsMayStandBehindTheirChildren) {
  const std::vector<StackNode> forest = Resolve({{kLeaf, 1, 1}, {kLeaf, -1, 0}});
  EXPECT_EQ(forest[0].function, 1u);
  EXPECT_EQ(forest[1].function, 0u);
}

TEST(ResolveStacks, FramesThatCouldNotBeReadAreMissing) {
  const std::vector<StackNode> forest =
      Resolve({{profile::kFramesMissing, -1, 0}, {profile::kFramesMissing, 0, 0, 1}});
  EXPECT_TRUE(forest[0].is_missing);
  EXPECT_EQ(forest[0].function, kNoFunction);
  EXPECT_FALSE(forest[1].is_missing);
  EXPECT_EQ(forest[1].function, kNoFunction);
}

TEST(ResolveStacks, FramesOfOtherObjectsHaveNoFunction) {
  const std::vector<StackNode> forest = Resolve({{kLeaf, 1, 4, 2}, {kLeaf, -1, 0}});
  EXPECT_EQ(forest[0].function, kNoFunction);
  EXPECT_EQ(forest[0].other, 2);
  EXPECT_EQ(forest[0].samples, 4);
}

TEST(ResolveStacks, SamplesAreWeighed) {
  EXPECT_EQ(Resolve({{kLeaf, -1, 3}}, 2.5)[0].samples, 7.5);
}

enum Function : uint32_t { kMain, kCheap, kDear, kWork, kLibrary, kFunctions };

// Stacks as paths, outermost first; the site of every caller is 1 unless given.
class Forest {
 public:
  void Add(const std::vector<StackNode>& path, double samples) {
    int64_t parent = -1;
    for (const StackNode& frame : path) {
      nodes.push_back(frame);
      nodes.back().parent = parent;
      parent = static_cast<int64_t>(nodes.size()) - 1;
    }
    nodes.back().samples = samples;
  }

  std::vector<StackNode> nodes;
};

StackNode At(uint32_t function, uint64_t site = 1) {
  StackNode node;
  node.function = function;
  node.site = site;
  return node;
}

StackNode Missing() {
  StackNode node;
  node.is_missing = true;
  return node;
}

MeasuredTimes Meter(const Forest& forest, const KnownCalls& known, bool by_site = false) {
  std::vector<uint32_t> representatives(kFunctions);
  std::iota(representatives.begin(), representatives.end(), 0);
  StackMeter meter(kFunctions, representatives, kFunctions, known, {kMain}, by_site);
  meter.Add(forest.nodes);
  return meter.Take();
}

const MeasuredArc* FindArc(const MeasuredTimes& times, uint32_t caller, uint32_t callee) {
  for (const MeasuredArc& arc : times.arcs) {
    if (arc.caller == caller && arc.callee == callee) return &arc;
  }
  return nullptr;
}

TEST(StackMeter, GivesCallersWhatTheirStacksSay) {
  Forest forest;
  forest.Add({At(kMain), At(kCheap), At(kWork)}, 1);
  forest.Add({At(kMain), At(kDear), At(kWork)}, 9);
  forest.Add({At(kMain), At(kDear)}, 2);
  const MeasuredTimes times = Meter(forest, {});
  EXPECT_EQ(times.total[kMain], 12);
  EXPECT_EQ(times.total[kCheap], 1);
  EXPECT_EQ(times.total[kDear], 11);
  EXPECT_EQ(times.total[kWork], 10);
  EXPECT_EQ(times.self[kWork], 10);
  EXPECT_EQ(times.self[kDear], 2);
  EXPECT_EQ(FindArc(times, kDear, kWork)->self, 9);
  EXPECT_EQ(FindArc(times, kDear, kWork)->child, 0);
  EXPECT_EQ(FindArc(times, kMain, kDear)->self, 2);
  EXPECT_EQ(FindArc(times, kMain, kDear)->child, 9);
  EXPECT_EQ(times.samples, 12);
  EXPECT_EQ(times.complete, 12);
}

TEST(StackMeter, CountsRecursionOncePerSample) {
  Forest forest;
  forest.Add({At(kMain), At(kWork), At(kWork), At(kWork)}, 5);
  forest.Add({At(kMain), At(kWork), At(kCheap), At(kWork), At(kCheap)}, 7);
  const MeasuredTimes times = Meter(forest, {});
  EXPECT_EQ(times.total[kMain], 12);
  EXPECT_EQ(times.total[kWork], 12);
  EXPECT_EQ(times.total[kCheap], 7);
  EXPECT_EQ(FindArc(times, kMain, kWork)->self + FindArc(times, kMain, kWork)->child, 12);
  EXPECT_EQ(FindArc(times, kMain, kWork)->self, 5);
  EXPECT_EQ(FindArc(times, kWork, kWork)->self, 5);
  EXPECT_EQ(FindArc(times, kWork, kCheap)->self, 7);
  EXPECT_EQ(FindArc(times, kCheap, kWork)->self, 0);
  EXPECT_EQ(FindArc(times, kCheap, kWork)->child, 7);
}

TEST(StackMeter, TellsCallSitesApart) {
  Forest forest;
  forest.Add({At(kMain, 10), At(kWork)}, 3);
  forest.Add({At(kMain, 20), At(kWork)}, 4);
  const MeasuredTimes times = Meter(forest, {}, /*by_site=*/true);
  ASSERT_EQ(times.arcs.size(), 2);
  EXPECT_EQ(times.arcs[0].site, 10);
  EXPECT_EQ(times.arcs[0].self, 3);
  EXPECT_EQ(times.arcs[1].site, 20);
  EXPECT_EQ(times.arcs[1].self, 4);
}

TEST(StackMeter, PutsBackTheFrameThatACallWithoutFramePointerHides) {
  KnownCalls known;
  known.Add(kMain, 10, kWork);
  Forest forest;
  forest.Add({At(kMain, 10), At(kLibrary)}, 6);  // called by work, whose frame was skipped
  const MeasuredTimes times = Meter(forest, known);
  EXPECT_EQ(times.total[kWork], 6);
  EXPECT_EQ(FindArc(times, kMain, kWork)->child, 6);
  EXPECT_EQ(FindArc(times, kWork, kLibrary)->self, 6);
  EXPECT_EQ(FindArc(times, kMain, kLibrary), nullptr);
}

TEST(StackMeter, AmongSeveralHiddenFunctionsTakesTheOneThatCallsTheNext) {
  KnownCalls known;
  known.Add(kMain, 10, kCheap);
  known.Add(kMain, 10, kDear);
  known.Add(kDear, 5, kWork);
  Forest forest;
  forest.Add({At(kMain, 10), At(kWork)}, 6);
  forest.Add({At(kMain, 10), At(kLibrary)}, 2);  // either of them may have called it
  const MeasuredTimes times = Meter(forest, known);
  EXPECT_EQ(times.total[kDear], 6);
  EXPECT_EQ(times.total[kCheap], 0);
  EXPECT_EQ(times.total[kMain], 8);
  EXPECT_EQ(FindArc(times, kDear, kWork)->self, 6);
  EXPECT_EQ(FindArc(times, kMain, kLibrary), nullptr);
}

TEST(StackMeter, SaysHowFarCutStacksReach) {
  Forest forest;
  forest.Add({Missing(), At(kDear), At(kWork)}, 3);
  forest.Add({Missing(), At(kMain), At(kWork)}, 4);  // main is the end nevertheless
  const MeasuredTimes times = Meter(forest, {});
  EXPECT_EQ(times.samples, 7);
  EXPECT_EQ(times.complete, 4);
  EXPECT_EQ(times.cut[kDear], 3);
  EXPECT_EQ(times.cut[kMain], 0);
  EXPECT_EQ(times.total[kWork], 7);
}

// Two callers with equal counts and 9:1 of the time, the manual's example of a wrong estimate.
CallGraph TwoCallers(const std::vector<double>& self) {
  CallGraph graph(self);
  graph.AddCalls(kMain, kCheap, 1);
  graph.AddCalls(kMain, kDear, 1);
  graph.AddCalls(kCheap, kWork, 100);
  graph.AddCalls(kDear, kWork, 100);
  graph.Finish();
  Propagate(graph);
  return graph;
}

TEST(ApplyMeasuredTimes, TakesTheStacksWordOverTheCounts) {
  CallGraph graph = TwoCallers({0, 0, 0, 100, 0});
  EXPECT_DOUBLE_EQ(TimeBetween(graph, kDear, kWork)->self, 50);
  Forest forest;
  forest.Add({At(kMain), At(kCheap), At(kWork)}, 10);
  forest.Add({At(kMain), At(kDear), At(kWork)}, 90);
  const MeasuredTimes measured = Meter(forest, {});
  ApplyMeasuredTimes(measured, EstimateRest(measured, graph), graph);
  EXPECT_DOUBLE_EQ(TimeBetween(graph, kDear, kWork)->self, 90);
  EXPECT_DOUBLE_EQ(TimeBetween(graph, kCheap, kWork)->self, 10);
  EXPECT_DOUBLE_EQ(graph.nodes[kDear].child, 90);
  EXPECT_DOUBLE_EQ(graph.nodes[kMain].child, 100);
  EXPECT_DOUBLE_EQ(graph.nodes[kWork].child, 0);
}

TEST(ApplyMeasuredTimes, HandsOnByCountsWhatHasNoStackOrACutOne) {
  CallGraph graph = TwoCallers({0, 0, 0, 100, 0});
  Forest forest;
  forest.Add({At(kMain), At(kDear), At(kWork)}, 60);
  forest.Add({Missing(), At(kCheap), At(kWork)}, 10);
  forest.Add({Missing(), At(kWork)}, 20);
  // Ten more samples of work have no stack.
  const MeasuredTimes measured = Meter(forest, {});
  ApplyMeasuredTimes(measured, EstimateRest(measured, graph), graph);
  EXPECT_DOUBLE_EQ(TimeBetween(graph, kDear, kWork)->self + TimeBetween(graph, kDear, kWork)->child,
                   60 + 15);
  EXPECT_DOUBLE_EQ(
      TimeBetween(graph, kCheap, kWork)->self + TimeBetween(graph, kCheap, kWork)->child, 10 + 15);
  EXPECT_DOUBLE_EQ(graph.nodes[kDear].child, 75);
  EXPECT_DOUBLE_EQ(graph.nodes[kCheap].child, 25);
  EXPECT_DOUBLE_EQ(graph.nodes[kMain].child, 100);
}

TEST(ApplyMeasuredTimes, GivesMembersOfACycleTheirOwnTotals) {
  CallGraph graph({0, 2, 3, 5, 0});
  graph.AddCalls(kMain, kCheap, 1);
  graph.AddCalls(kCheap, kDear, 1);
  graph.AddCalls(kDear, kCheap, 1);
  graph.AddCalls(kDear, kWork, 1);
  graph.Finish();
  Propagate(graph);
  ASSERT_EQ(graph.cycles.size(), 1);
  std::vector<uint32_t> representatives;
  for (uint32_t i = 0; i < kFunctions; ++i) representatives.push_back(graph.Representative(i));
  Forest forest;
  forest.Add({At(kMain), At(kCheap)}, 2);
  forest.Add({At(kMain), At(kCheap), At(kDear)}, 3);
  forest.Add({At(kMain), At(kCheap), At(kDear), At(kCheap), At(kDear), At(kWork)}, 5);
  KnownCalls known;
  StackMeter meter(kFunctions, representatives, static_cast<uint32_t>(graph.nodes.size()), known,
                   {kMain}, false);
  meter.Add(forest.nodes);
  const MeasuredTimes measured = meter.Take();
  ApplyMeasuredTimes(measured, EstimateRest(measured, graph), graph);
  EXPECT_DOUBLE_EQ(graph.nodes[kCheap].child, 8);
  EXPECT_DOUBLE_EQ(graph.nodes[kDear].child, 5);
  const GraphNode& cycle = graph.nodes[graph.CycleNode(1)];
  EXPECT_DOUBLE_EQ(cycle.self + cycle.child, 10);
  EXPECT_DOUBLE_EQ(TimeBetween(graph, kMain, kCheap)->self, 2);
  EXPECT_DOUBLE_EQ(TimeBetween(graph, kMain, kCheap)->child, 8);
}

}  // namespace

}  // namespace gprofhub::analyzer
