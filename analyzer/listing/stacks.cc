#include "analyzer/listing/stacks.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_format.h"

namespace gprofhub::analyzer {

std::vector<StackNode> StacksByRow(const profile::RawProfile& profile, const ListingRows& rows,
                                   const FunctionFinder& finder) {
  const std::vector<profile::StackFrame>& frames = profile.stacks;
  return ResolveStacks(
      frames.size(), [&](size_t i) -> const profile::StackFrame& { return frames[i]; },
      [&](size_t i, uint64_t address) -> FrameFunction {
        const uint64_t pc = frames[i].pc;
        if (pc == profile::kFramesMissing || pc == profile::kFrameElsewhere) return {};
        const uint32_t row = finder.ByAddress(address);
        return row == kNoFunction ? FrameFunction() : FrameFunction{row, rows.Address(row)};
      });
}

ListingStacks::ListingStacks(const profile::RawProfile& profile, const ListingRows& rows)
    : rows_(rows) {
  if (profile.stacks.empty() || rows.by_line()) return;
  const FunctionFinder finder(rows.table());
  for (const profile::RawArc& arc : profile.arcs) {
    const uint32_t caller = arc.from_pc == 0 ? kNoFunction : finder.ByAddress(arc.from_pc - 1);
    const uint32_t callee = finder.CallTarget(arc.self_pc);
    if (caller == kNoFunction || callee == kNoFunction) continue;
    known_.Add(caller, arc.from_pc - rows.Address(caller), callee);
  }
  forest_ = StacksByRow(profile, rows, finder);
}

MeasuredTimes ListingStacks::Measure(std::vector<uint32_t> representatives, size_t nodes) const {
  absl::flat_hash_set<uint32_t> outermost;
  for (uint32_t row = 0; row < rows_.size(); ++row) {
    if (rows_.LinkageName(row) == "main") outermost.insert(row);
  }
  StackMeter meter(static_cast<uint32_t>(representatives.size()), representatives,
                   static_cast<uint32_t>(nodes), known_, std::move(outermost), /*by_site=*/false);
  meter.Add(forest_);
  return meter.Take();
}

void ListingStacks::AddUncountedArcs(CallGraph& graph) const {
  if (forest_.empty()) return;
  std::vector<uint32_t> representatives(graph.function_count());
  std::iota(representatives.begin(), representatives.end(), 0);
  const MeasuredTimes measured = Measure(std::move(representatives), graph.function_count());
  for (const MeasuredArc& arc : measured.arcs) {
    if (!known_.Calls(arc.caller, arc.callee)) graph.AddCalls(arc.caller, arc.callee, 0);
  }
}

std::string ListingStacks::Apply(CallGraph& graph) const {
  if (forest_.empty()) return "";
  std::vector<uint32_t> representatives(graph.function_count());
  for (uint32_t i = 0; i < representatives.size(); ++i)
    representatives[i] = graph.Representative(i);
  double samples = 0;
  for (uint32_t i = 0; i < graph.function_count(); ++i) samples += graph.nodes[i].self;
  const MeasuredTimes measured = Measure(std::move(representatives), graph.nodes.size());
  ApplyMeasuredTimes(measured, EstimateRest(measured, graph), graph);
  return absl::StrFormat(
      "children: measured on the call stacks of %.1f%% of the samples, else estimated from calls",
      samples > 0 ? 100 * std::min(1.0, measured.complete / samples) : 0.0);
}

}  // namespace gprofhub::analyzer
