#include "analyzer/call_graph.h"

namespace gprofhub {
namespace {

// Counting sort of the arcs by `end`, keeping the latest arc first.
void GroupArcs(const std::vector<GraphArc>& arcs, size_t functions, uint32_t GraphArc::*end,
               std::vector<uint32_t>& offsets, std::vector<uint32_t>& grouped) {
  offsets.assign(functions + 1, 0);
  for (const GraphArc& arc : arcs) ++offsets[arc.*end + 1];
  for (size_t i = 0; i < functions; ++i) offsets[i + 1] += offsets[i];
  grouped.resize(arcs.size());
  std::vector<uint32_t> next(offsets.begin() + 1, offsets.end());
  for (uint32_t i = 0; i < arcs.size(); ++i) grouped[--next[arcs[i].*end]] = i;
}

}  // namespace

CallGraph::CallGraph(const std::vector<double>& self_samples)
    : nodes(self_samples.size()), function_count_(self_samples.size()) {
  for (size_t i = 0; i < self_samples.size(); ++i) nodes[i].self = self_samples[i];
}

void CallGraph::AddCalls(uint32_t caller, uint32_t callee, uint64_t count) {
  const uint64_t pair = uint64_t{caller} << 32 | callee;
  const auto [entry, is_new] = arc_of_pair_.try_emplace(pair, static_cast<uint32_t>(arcs.size()));
  if (is_new) arcs.push_back({caller, callee, 0, 0, 0});
  arcs[entry->second].count += count;
  (caller == callee ? nodes[callee].self_calls : nodes[callee].calls) += count;
}

void CallGraph::Finish() {
  GroupArcs(arcs, function_count_, &GraphArc::caller, from_offsets_, from_arcs_);
  GroupArcs(arcs, function_count_, &GraphArc::callee, to_offsets_, to_arcs_);
  arc_of_pair_ = {};
}

absl::Span<const uint32_t> CallGraph::ArcsFrom(uint32_t function) const {
  return absl::MakeConstSpan(from_arcs_)
      .subspan(from_offsets_[function], from_offsets_[function + 1] - from_offsets_[function]);
}

absl::Span<const uint32_t> CallGraph::ArcsTo(uint32_t function) const {
  return absl::MakeConstSpan(to_arcs_).subspan(to_offsets_[function],
                                               to_offsets_[function + 1] - to_offsets_[function]);
}

}  // namespace gprofhub
