#include "analyzer/graph/call_graph.h"

#include <algorithm>
#include <utility>

#include "base/components.h"
#include "base/fetch_ahead.h"
#include "base/prefetch.h"
#include "base/two_workers.h"

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

}  // namespace gprofhub::analyzer
