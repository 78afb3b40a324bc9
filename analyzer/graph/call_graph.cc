#include "analyzer/graph/call_graph.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/components.h"
#include "base/parallel.h"

namespace gprofhub::analyzer {

namespace {

Groups GroupArcs(const std::vector<GraphArc>& arcs, size_t functions, uint32_t GraphArc::*end) {
  return GroupBy(arcs, functions, [end](const GraphArc& arc) { return arc.*end; });
}

}  // namespace

CallGraph::CallGraph(const std::vector<double>& self_samples)
    : nodes(self_samples.size()), function_count_(self_samples.size()) {
  for (size_t i = 0; i < self_samples.size(); ++i) nodes[i].self = self_samples[i];
}

void CallGraph::AddCalls(uint32_t caller, uint32_t callee, uint64_t count) {
  arcs.push_back({caller, callee, count});
}

void CallGraph::AddSpontaneous(uint32_t callee, uint64_t count) {
  spontaneous.resize(nodes.size());
  nodes[callee].calls += count;
  spontaneous[callee] += count;
}

void CallGraph::CountCalls() {
  base::ForEachFetched(
      0, arcs.size(),
      [this](size_t i) {
        const GraphArc& arc = arcs[i];
        GraphNode& callee = nodes[arc.callee];
        (arc.caller == arc.callee ? callee.self_calls : callee.calls) += arc.count;
      },
      base::FetchAhead{16, [this](size_t i) { base::Prefetch(&nodes[arcs[i].callee]); }});
}

// Merges later arcs between the same two functions into the first one. The arcs must be grouped by
// caller.
void CallGraph::MergeArcs() {
  struct FirstArc {
    uint32_t caller = UINT32_MAX;
    uint32_t arc = 0;
  };
  std::vector<FirstArc> first_of_callee(function_count_);
  constexpr uint32_t kDropped = UINT32_MAX;
  bool any_dropped = false;
  for (uint32_t caller = 0; caller < function_count_; ++caller) {
    const absl::Span<const uint32_t> latest_first = ArcsFrom(caller);
    for (auto index = latest_first.rbegin(); index != latest_first.rend(); ++index) {
      GraphArc& arc = arcs[*index];
      FirstArc& first = first_of_callee[arc.callee];
      if (first.caller != caller) {
        first = {caller, *index};
        continue;
      }
      arcs[first.arc].count += arc.count;
      arc.callee = kDropped;
      any_dropped = true;
    }
  }
  if (!any_dropped) return;
  arcs.erase(std::remove_if(arcs.begin(), arcs.end(),
                            [](const GraphArc& arc) { return arc.callee == kDropped; }),
             arcs.end());
  by_caller_ = Groups();  // frees its memory first
  by_caller_ = GroupArcs(arcs, function_count_, &GraphArc::caller);
}

// Time can only be propagated in an acyclic graph, so functions that reach each other are merged
// (Graham, Kessler, McKusick 1982, section 4.2). The search starts at the lowest address and takes
// a function's latest arc first.
void CallGraph::FindCycles() {
  const base::Components components =
      base::FindComponents(static_cast<uint32_t>(function_count_), arcs.size(),
                           [this](uint32_t function, std::vector<uint32_t>& callees) {
                             for (const uint32_t arc : ArcsFrom(function))
                               callees.push_back(arcs[arc].callee);
                           });
  callees_first.reserve(components.count());
  for (size_t i = 0; i < components.count(); ++i) {
    const absl::Span<const uint32_t> members = components.Members(i);
    callees_first.push_back(members.front());
    if (members.size() > 1) cycles.emplace_back(members.begin(), members.end());
  }
}

// By the address at which the search entered them, as GNU gprof numbers them.
void CallGraph::NumberCycles() {
  std::sort(cycles.begin(), cycles.end(),
            [](const auto& a, const auto& b) { return a.front() < b.front(); });
  for (uint32_t cycle = 1; cycle <= cycles.size(); ++cycle) {
    for (const uint32_t member : cycles[cycle - 1]) nodes[member].cycle = cycle;
  }
  nodes.resize(function_count() + cycles.size());
  if (!spontaneous.empty()) spontaneous.resize(nodes.size());
  for (uint32_t& node : callees_first) node = Representative(node);
}

void CallGraph::Finish() {
  by_caller_ = GroupArcs(arcs, function_count_, &GraphArc::caller);
  MergeArcs();
  constexpr size_t kArcsWorthAThread = 50000;
  base::RunBoth(
      arcs.size() >= kArcsWorthAThread, [this] { FindCycles(); },
      [this] {
        by_callee_ = GroupArcs(arcs, function_count_, &GraphArc::callee);
        CountCalls();
      });
  NumberCycles();
}

// Propagation (Graham, Kessler, McKusick 1982, section 4).
//
// Let C_e be the calls of callee e, and C_er those of them made by caller r.
// The total time of a function is its self time plus the time that its callees spent on its behalf:
//
//   T_r = S_r + sum over r -> e of T_e * C_er / C_e
//
// A call is thus assumed to cost the same from every caller, as callers differ only by their
// counts. Self-recursive calls are ignored: they neither add to C_e nor propagate time. A cycle is
// one node: its time is its members' self time plus the time they inherit from callees outside the
// cycle. Its callers share that time in proportion to their calls into any member. Calls inside the
// cycle are shown but propagate nothing.
//
// Two passes over the graph without cycles:
//  1. callers before callees: the fraction of a node's time that is counted at
//     all: 1 unless functions are excluded from timing; otherwise the part that its callers'
//     fractions leave, and 1 again below callers that leave nothing;
//  2. callees before callers: the times.
//
// An arc shows its share of the callee's time, times the caller's fraction. The order of the
// floating-point operations matches GNU gprof's, whose listings order arcs even by rounding errors
// of their times.

namespace {

// The functions of `node`: itself, or the cycle's members in the order in which the search found
// them.
absl::Span<const uint32_t> Members(const CallGraph& graph, const uint32_t& node) {
  if (node < graph.function_count()) return absl::MakeConstSpan(&node, 1);
  return graph.cycles[node - graph.function_count()];
}

// Splits every call among and into the members of cycles.
void CountCycleCalls(CallGraph& graph) {
  for (uint32_t cycle = 1; cycle <= graph.cycles.size(); ++cycle) {
    GraphNode& whole = graph.nodes[graph.CycleNode(cycle)];
    uint64_t spontaneous = 0;
    for (const uint32_t member : graph.cycles[cycle - 1]) {
      spontaneous += graph.SpontaneousCalls(member);
      for (const uint32_t index : graph.ArcsTo(member)) {
        const GraphArc& arc = graph.arcs[index];
        if (arc.caller == arc.callee) continue;
        (graph.nodes[arc.caller].cycle == cycle ? whole.self_calls : whole.calls) += arc.count;
      }
    }
    whole.calls += spontaneous;
    if (spontaneous > 0) graph.spontaneous[graph.CycleNode(cycle)] = spontaneous;
  }
}

// Visits `nodes` in order. `arcs_of` returns the arcs that a visit reads, `other_end` the function
// of an arc that it reads, if any. All of these are prefetched.
template <typename Iterator, typename Arcs, typename Visit>
void Walk(const CallGraph& graph, Iterator nodes, Arcs arcs_of, uint32_t GraphArc::*other_end,
          Visit visit) {
  const auto arcs = [&](size_t i) {
    const uint32_t node = nodes[static_cast<ptrdiff_t>(i)];
    return node < graph.function_count() ? (graph.*arcs_of)(node) : absl::Span<const uint32_t>();
  };
  base::ForEachFetched(
      0, graph.callees_first.size(), [&](size_t i) { visit(nodes[static_cast<ptrdiff_t>(i)]); },
      base::FetchAhead{12, [&](size_t i) { graph.FetchNode(nodes[static_cast<ptrdiff_t>(i)]); }},
      base::FetchAhead{9, [&](size_t i) { base::Prefetch(arcs(i).data()); }},
      base::FetchAhead{6,
                       [&](size_t i) {
                         for (const uint32_t arc : arcs(i)) base::Prefetch(&graph.arcs[arc]);
                       }},
      base::FetchAhead{3, [&](size_t i) {
                         if (other_end == nullptr) return;
                         for (const uint32_t arc : arcs(i)) {
                           base::Prefetch(&graph.nodes[graph.arcs[arc].*other_end]);
                         }
                       }});
}

// The fields of callers that are read, close together in memory.
struct Caller {
  double fraction = 0;
  uint32_t whole = 0;  // its representative
};

// Fraction of the time of `node` that its callers inherit (or the operating system, if there are no
// callers).
void InheritFraction(CallGraph& graph, std::vector<Caller>& callers, uint32_t node) {
  GraphNode& whole = graph.nodes[node];
  bool has_callers = false;
  double fraction = 0;
  for (const uint32_t member : Members(graph, node)) {
    for (const uint32_t index : graph.ArcsTo(member)) {
      const GraphArc& arc = graph.arcs[index];
      const Caller& caller = callers[arc.caller];
      if (caller.whole == node) continue;
      has_callers = true;
      if (whole.calls == 0) continue;
      fraction +=
          caller.fraction * (static_cast<double>(arc.count) / static_cast<double>(whole.calls));
    }
  }
  if (const uint64_t spontaneous = graph.SpontaneousCalls(node); spontaneous > 0) {
    fraction += static_cast<double>(spontaneous) / static_cast<double>(whole.calls);
  }
  // A cycle without callers has the fraction 1; the graph has no caller that could inherit its
  // time.
  whole.fraction = has_callers ? fraction : 1;
  // Time that is not counted does not belong to the cycle's time, which its callers share.
  if (node >= graph.function_count()) whole.self = 0;
  for (const uint32_t member : Members(graph, node)) {
    GraphNode& function = graph.nodes[member];
    if (member != node && function.role != TimeRole::kExcluded) whole.self += function.self;
    if (function.role == TimeRole::kExcluded) {
      function.fraction = 0;
    } else if (fraction == 0 && function.role == TimeRole::kCounted) {
      function.fraction = 1;
    } else {
      function.fraction = fraction;
    }
    callers[member].fraction = function.fraction;
  }
}

// Propagates the callees' time, which is final by now, to the functions of `node`, members of a
// cycle in the order of their addresses. The cycle adds each share in the same order as its member.
void InheritTime(CallGraph& graph, uint32_t node) {
  GraphNode& whole = graph.nodes[node];
  absl::Span<const uint32_t> members = Members(graph, node);
  std::vector<uint32_t> by_address;
  if (members.size() > 1) {
    by_address.assign(members.begin(), members.end());
    std::sort(by_address.begin(), by_address.end());
    members = by_address;
  }
  for (const uint32_t member : members) {
    GraphNode& caller = graph.nodes[member];
    if (caller.fraction == 0) continue;
    for (const uint32_t index : graph.ArcsFrom(member)) {
      const ArcTime time = graph.ShareOf(graph.arcs[index]);
      const double share = time.self + time.child;
      const double propagated_share = caller.fraction * share;
      caller.child += share;
      caller.propagated_child += propagated_share;
      if (member != node) {
        whole.child += share;
        whole.propagated_child += propagated_share;
      }
    }
    caller.propagated_self = caller.self * caller.fraction;
  }
  // GNU gprof ranks a cycle without counted callers outside it by its children's time alone.
  if (members.size() == 1 || whole.calls == 0 || whole.fraction == 0) return;
  // In the order in which the cycle's self time was summed.
  for (const uint32_t member : Members(graph, node)) {
    whole.propagated_self += graph.nodes[member].propagated_self;
  }
}

}  // namespace

void Propagate(CallGraph& graph) {
  CountCycleCalls(graph);
  const std::vector<uint32_t>& order = graph.callees_first;
  std::vector<Caller> callers(graph.function_count());
  for (uint32_t i = 0; i < callers.size(); ++i) callers[i].whole = graph.Representative(i);
  Walk(graph, order.rbegin(), &CallGraph::ArcsTo, nullptr,
       [&](const uint32_t& node) { InheritFraction(graph, callers, node); });
  Walk(graph, order.begin(), &CallGraph::ArcsFrom, &GraphArc::callee,
       [&](const uint32_t& node) { InheritTime(graph, node); });
}

}  // namespace gprofhub::analyzer
