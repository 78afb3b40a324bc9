#include "analyzer/graph/call_graph.h"

#include <algorithm>
#include <utility>

#include "base/components.h"
#include "base/prefetch.h"
#include "base/two_workers.h"

namespace gprofhub::analyzer {
namespace {

// Counting sort of the arcs by `end`, keeping the latest arc first.
void GroupArcs(const std::vector<GraphArc>& arcs, size_t functions, uint32_t GraphArc::*end,
               std::vector<uint32_t>& offsets, std::vector<uint32_t>& grouped) {
  offsets.assign(functions + 1, 0);
  for (const GraphArc& arc : arcs) ++offsets[arc.*end + 1];
  for (size_t i = 0; i < functions; ++i) offsets[i + 1] += offsets[i];
  grouped.resize(arcs.size());
  std::vector<uint32_t> next(offsets.begin() + 1, offsets.end());
  constexpr size_t kAhead = 16;
  for (uint32_t i = 0; i < arcs.size(); ++i) {
    if (i + kAhead < arcs.size()) base::Prefetch(&grouped[next[arcs[i + kAhead].*end] - 1]);
    grouped[--next[arcs[i].*end]] = i;
  }
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

// Callees lie anywhere in memory, so each is fetched some arcs ahead.
void CallGraph::CountCalls() {
  constexpr size_t kAhead = 16;
  for (size_t i = 0; i < arcs.size(); ++i) {
    if (i + kAhead < arcs.size()) base::Prefetch(&nodes[arcs[i + kAhead].callee]);
    GraphNode& callee = nodes[arcs[i].callee];
    (arcs[i].caller == arcs[i].callee ? callee.self_calls : callee.calls) += arcs[i].count;
  }
}

// Of the arcs between the same two functions, adds the later ones to the first
// and drops them. The arcs must be grouped by caller.
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
  GroupArcs(arcs, function_count_, &GraphArc::caller, from_offsets_, from_arcs_);
}

// Time can only be handed up a graph without cycles, so functions that reach each other
// are taken as one (Graham, Kessler, McKusick 1982, section 4.2). The search starts at the
// lowest address and takes a function's latest arc first.
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

// By the address at which the search entered them: GNU gprof numbers them so.
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
  GroupArcs(arcs, function_count_, &GraphArc::caller, from_offsets_, from_arcs_);
  MergeArcs();
  constexpr size_t kArcsWorthAThread = 50000;
  base::RunBoth(
      arcs.size() >= kArcsWorthAThread, [this] { FindCycles(); },
      [this] {
        GroupArcs(arcs, function_count_, &GraphArc::callee, to_offsets_, to_arcs_);
        CountCalls();
      });
  NumberCycles();
}

}  // namespace gprofhub::analyzer
