#include "analyzer/listing_input.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "analyzer/assign_samples.h"
#include "analyzer/cycles.h"
#include "analyzer/propagate.h"
#include "profile/demangle.h"

namespace gprofhub {
namespace {

// The profiler itself, by the names it had over the decades: its time is no
// part of the program's.
bool IsProfiler(absl::string_view name) {
  static constexpr absl::string_view kNames[] = {
      "_gprof_mcount",     "mcount",     "_mcount",  "__mcount",
      "__mcount_internal", "__mcleanup", "<locore>", "<hicore>",
  };
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// " (name)" of the file that the code at `address` comes from, without its
// directory; nothing if the image has no lines there.
std::string SourceFile(const SymbolTable& symbols, uint64_t address) {
  const auto after =
      std::upper_bound(symbols.lines.begin(), symbols.lines.end(), address,
                       [](uint64_t pc, const LineRow& row) { return pc < row.address; });
  if (after == symbols.lines.begin() || (after - 1)->line == 0) return "";
  const uint32_t file = (after - 1)->file;
  if (file == 0 || file >= symbols.files.size()) return "";
  const std::string& path = symbols.files[file];
  return absl::StrCat(" (", path.substr(path.find_last_of('/') + 1), ")");
}

}  // namespace

ListingInput PrepareListing(const SymbolTable& symbols, const RawProfile& profile,
                            const ListingOptions& options) {
  const FunctionTable table = BuildFunctionTable(symbols, SymbolPolicy::kGnu);
  AssignedSamples samples = AssignSamples(table, profile.histograms, SymbolPolicy::kGnu);
  for (size_t i = 0; i < table.functions.size(); ++i) {
    if (!IsProfiler(table.functions[i].symbol->name)) continue;
    samples.total -= samples.by_function[i];
    samples.by_function[i] = 0;
  }
  ListingInput input(samples.by_function);
  input.total_samples = samples.total;
  for (size_t i = 0; i < table.functions.size(); ++i) {
    const FunctionSymbol& symbol = *table.functions[i].symbol;
    const bool is_listed = !IsProfiler(symbol.name);
    input.linkage_names.push_back(symbol.name);
    input.names.push_back(options.demangle ? Demangle(symbol.name) : symbol.name);
    input.files.push_back(symbol.is_local ? SourceFile(symbols, symbol.address) : "");
    input.is_listed.push_back(is_listed);
    input.graph.nodes[i].role = is_listed ? TimeRole::kCounted : TimeRole::kExcluded;
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
