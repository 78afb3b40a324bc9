// The call graph of one set of profiles: functions, the arcs between them, the
// cycles they form, and the time propagated from callees to callers.
//
//   CallGraph graph(self_samples);  // one node per function
//   graph.AddCalls(...) for every arc record, in file order
//   graph.Finish();
//   Propagate(graph);               // propagate.h
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/parallel.h"

namespace gprofhub::analyzer {

// Grouping by a number, in linear time.

// The indices of items, group after group.
struct Groups {
  std::vector<uint32_t> begins;  // by group, and the end of the last
  std::vector<uint32_t> items;   // within a group the last item comes first

  absl::Span<const uint32_t> operator[](size_t group) const {
    return {items.data() + begins[group], begins[group + 1] - begins[group]};
  }
};

// Counting sort. Item i belongs to the group `group_of(items[i])`, which is less than `groups`.
template <typename Item, typename GroupOf>
Groups GroupBy(const std::vector<Item>& items, size_t groups, GroupOf group_of) {
  Groups grouped;
  grouped.begins.assign(groups + 1, 0);
  for (const Item& item : items) ++grouped.begins[group_of(item) + 1];
  for (size_t i = 0; i < groups; ++i) grouped.begins[i + 1] += grouped.begins[i];
  grouped.items.resize(items.size());
  // Each group is filled from its end, so that the last item comes first.
  std::vector<uint32_t> next(grouped.begins.begin() + 1, grouped.begins.end());
  base::ForEachFetched(
      0, items.size(),
      [&](size_t i) { grouped.items[--next[group_of(items[i])]] = static_cast<uint32_t>(i); },
      base::FetchAhead{
          16, [&](size_t i) { base::Prefetch(&grouped.items[next[group_of(items[i])] - 1]); }});
  return grouped;
}

// Whether a function's time is propagated to its callers and counted in the total.
enum class TimeRole : uint8_t {
  kCounted,    // it is
  kInherited,  // to the extent that its callers' time is counted
  kExcluded,   // it is not
};

// A function, or a cycle of functions as a whole. It has the size of a cache line, because walks
// over the graph access nodes at random.
struct alignas(64) GraphNode {
  uint64_t calls = 0;       // from others (for a cycle: from outside it)
  uint64_t self_calls = 0;  // from itself (for a cycle: among its members)
  double self = 0;          // samples
  double child = 0;         // samples of callees, as called from here
  // The share of the node's time that is counted.
  double fraction = 0;
  double propagated_self = 0;          // fraction * self
  double propagated_child = 0;         // fraction * child
  uint32_t cycle = 0;                  // the cycle it is a member of, from 1; 0: none
  TimeRole role = TimeRole::kCounted;  // of a function; a cycle has its members'

  bool IsUsed() const { return calls != 0 || self != 0; }  // called, or sampled
  double PropagatedTime() const { return propagated_self + propagated_child; }
};
static_assert(sizeof(GraphNode) == 64);

// As small as possible: large graphs have ten times as many arcs as functions.
struct GraphArc {
  uint32_t caller = 0;
  uint32_t callee = 0;
  uint64_t count = 0;
};

// Time that an arc propagates from the callee to the caller, in samples.
struct ArcTime {
  double self = 0;   // the callee's self time
  double child = 0;  // of the callee's callees
};

class CallGraph {
 public:
  // One node per element; the element is the function's self samples.
  explicit CallGraph(const std::vector<double>& self_samples);

  // Adds `count` calls. They become an element of `arcs`; callers may also add elements there.
  void AddCalls(uint32_t caller, uint32_t callee, uint64_t count);

  // Adds `count` spontaneous calls of `callee`, which have no caller in the graph. Their share of
  // its time is counted, but not propagated to any function.
  void AddSpontaneous(uint32_t callee, uint64_t count);
  // The number of the node's calls that are spontaneous.
  uint64_t SpontaneousCalls(uint32_t node) const {
    return node < spontaneous.size() ? spontaneous[node] : 0;
  }

  // Merges the arcs between the same two functions, orders arcs by function, counts every
  // function's calls and finds the cycles, in linear time. Call once, after the last AddCalls.
  void Finish();

  size_t function_count() const { return function_count_; }
  // Nodes [0, function_count()) are the functions; the cycles follow, cycle c
  // being node function_count() + c - 1.
  std::vector<GraphNode> nodes;
  std::vector<uint64_t> spontaneous;  // by node: SpontaneousCalls; empty if there are none
  std::vector<GraphArc> arcs;         // in the order of their first calls
  // By arc, if times were measured; empty: times follow from counts (TimeOf).
  std::vector<ArcTime> measured_times;
  // Members of each cycle, the first being where the search entered it;
  // cycle c is element c - 1.
  std::vector<std::vector<uint32_t>> cycles;
  // Nodes outside cycles, and cycles: callees before callers.
  std::vector<uint32_t> callees_first;

  uint32_t CycleNode(uint32_t cycle) const {
    return static_cast<uint32_t>(function_count_) + cycle - 1;
  }
  // The node that represents `function` in the graph without cycles.
  uint32_t Representative(uint32_t function) const {
    const uint32_t cycle = nodes[function].cycle;
    return cycle == 0 ? function : CycleNode(cycle);
  }
  // Whether the arc is within a cycle, or from a function to itself.
  bool IsWithinCycle(const GraphArc& arc) const {
    return Representative(arc.caller) == Representative(arc.callee);
  }
  // The part of the callee's time that the arc's calls account for: 0 within a cycle, and for
  // functions that are excluded from timing. The callee's calls, fraction and times must be known.
  ArcTime ShareOf(const GraphArc& arc) const {
    const GraphNode& source = nodes[Representative(arc.callee)];
    if (source.fraction == 0 || source.calls == 0 || nodes[arc.callee].fraction == 0 ||
        IsWithinCycle(arc)) {
      return {};
    }
    const double part = static_cast<double>(arc.count) / static_cast<double>(source.calls);
    return {source.self * part, source.child * part};
  }
  // The time that the arc propagates: its share, scaled by the counted fraction of the caller's
  // time. Needs propagated times.
  ArcTime TimeOf(uint32_t arc) const {
    if (!measured_times.empty()) return measured_times[arc];
    const ArcTime share = ShareOf(arcs[arc]);
    const double fraction = nodes[arcs[arc].caller].fraction;
    return {share.self * fraction, share.child * fraction};
  }
  // Arcs (as indices) out of and into `function`, the latest added first.
  absl::Span<const uint32_t> ArcsFrom(uint32_t function) const { return by_caller_[function]; }
  absl::Span<const uint32_t> ArcsTo(uint32_t function) const { return by_callee_[function]; }
  // Prefetches the node and the beginnings of its arc lists, for walks over the graph, which access
  // nodes at random.
  void FetchNode(uint32_t node) const {
    base::Prefetch(&nodes[node]);
    if (node >= function_count()) return;
    base::Prefetch(&by_caller_.begins[node]);
    base::Prefetch(&by_callee_.begins[node]);
  }

 private:
  void MergeArcs();
  void CountCalls();
  void FindCycles();
  void NumberCycles();

  size_t function_count_;
  Groups by_caller_, by_callee_;  // arcs
};

// Propagation of time from callees to callers.

// Fills the times of every node and arc. Needs Finish().
// Linear in nodes and arcs.
void Propagate(CallGraph& graph);

// Sorting arcs by caller, then in any other order.

// Stable sort of arcs by caller (each less than `callers`), then by `is_before`. Arcs are grouped
// by caller first, so that the sort of each caller's arcs stays within the caches.
template <typename Arc, typename IsBefore>
void SortByCaller(size_t callers, const IsBefore& is_before, std::vector<Arc>& arcs) {
  const Groups by_caller = GroupBy(arcs, callers, [](const Arc& arc) { return arc.caller; });
  std::vector<Arc> sorted;
  sorted.reserve(arcs.size());
  for (size_t caller = 0; caller < callers; ++caller) {
    const absl::Span<const uint32_t> latest_first = by_caller[caller];
    const auto begin = static_cast<ptrdiff_t>(sorted.size());
    for (auto arc = latest_first.rbegin(); arc != latest_first.rend(); ++arc) {
      sorted.push_back(arcs[*arc]);
    }
    if (std::is_sorted(sorted.begin() + begin, sorted.end(), is_before)) continue;
    std::stable_sort(sorted.begin() + begin, sorted.end(), is_before);
  }
  arcs = std::move(sorted);
}

// A call that machine code makes.

// Its count in the graph is 0 unless calls were recorded.
struct StaticCall {
  uint64_t from_pc = 0;
  uint64_t to_pc = 0;
};

}  // namespace gprofhub::analyzer
