#include "analyzer/listing_input.h"

#include <algorithm>
#include <iterator>

#include "analyzer/assign_samples.h"
#include "analyzer/cycles.h"
#include "analyzer/propagate.h"
#include "profile/demangle.h"

namespace gprofhub {
namespace {

// The profiler itself: its time is listed but handed to nobody.
bool IsProfiler(absl::string_view name) {
  static constexpr absl::string_view kNames[] = {
      "_gprof_mcount",     "mcount",     "_mcount",  "__mcount",
      "__mcount_internal", "__mcleanup", "<locore>", "<hicore>",
  };
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace

ListingInput PrepareListing(const SymbolTable& symbols, const RawProfile& profile,
                            const ListingOptions& options) {
  const FunctionTable table = BuildFunctionTable(symbols, SymbolPolicy::kGnu);
  const AssignedSamples samples = AssignSamples(table, profile.histograms, SymbolPolicy::kGnu);
  ListingInput input(samples.by_function);
  input.total_samples = samples.total;
  for (size_t i = 0; i < table.functions.size(); ++i) {
    const std::string& name = table.functions[i].symbol->name;
    const bool is_profiler = IsProfiler(name);
    input.linkage_names.push_back(name);
    input.names.push_back(options.demangle ? Demangle(name) : name);
    input.in_graph.push_back(!is_profiler);
    input.graph.nodes[i].takes_part = !is_profiler;
  }
  for (const RawArc& arc : profile.arcs) {
    const uint32_t caller = FindByAddress(table, arc.from_pc);
    const uint32_t callee = FindCallTarget(table, arc.self_pc);
    if (caller == kNoFunction || callee == kNoFunction) continue;
    input.graph.AddCalls(caller, callee, arc.count);
  }
  input.graph.Finish();
  FindCycles(input.graph);
  Propagate(input.graph);
  if (!profile.histograms.empty()) {
    const Histogram& first = profile.histograms.front();
    input.rate = std::max(first.rate, 1u);
    input.dimension = first.dimension;
    input.abbreviation = first.abbreviation;
    input.bytes_per_bin =
        (first.high_pc - first.low_pc) / kUnitBytes / first.bins.size() * kUnitBytes;
  }
  return input;
}

}  // namespace gprofhub
