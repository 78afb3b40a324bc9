#include "cli/gprof/traces/trace.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/gprof/options/debug_levels.h"
#include "cli/gprof/traces/graph_trace.h"
#include "cli/gprof/traces/sample_trace.h"
#include "cli/gprof/traces/symbol_trace.h"
#include "cli/gprof/traces/symspec_trace.h"

namespace gprofhub::cli {

bool WantsTrace(const GprofOptions& options) {
  constexpr unsigned kFirstLine = 1;
  return (options.debug & ~kFirstLine) != 0 && options.export_format.empty();
}

absl::StatusOr<std::unique_ptr<GprofTrace>> GprofTrace::Open(const GprofOptions& options,
                                                             const profile::SymbolTable& symbols) {
  absl::StatusOr<profile::ClassedSymbols> classed = profile::ReadClassedSymbols(options.image);
  if (!classed.ok()) return classed.status();
  return absl::WrapUnique(new GprofTrace(options, symbols, *std::move(classed)));
}

GprofTrace::GprofTrace(const GprofOptions& options, const profile::SymbolTable& symbols,
                       profile::ClassedSymbols classed)
    : options_(options),
      symbols_(symbols),
      classed_(std::move(classed)),
      levels_(options.debug),
      rows_(symbols, options.listing.rows),
      chosen_{{rows_, levels_}, {rows_, levels_}},
      records_(symbols, rows_, levels_,
               options.external_symbols.has_value() ? classed_.TextLast() : 0, chosen_) {}

std::string GprofTrace::OfImage() {
  std::string out;
  absl::StrAppend(&out, TraceSymbols({classed_, symbols_, options_.listing.rows,
                                      options_.external_symbols.has_value()},
                                     levels_));
  absl::StrAppend(&out, TraceSymspecs(options_.symspecs.All(), rows_, classed_.TextLast(), levels_,
                                      chosen_, searches_));
  return out;
}

std::string GprofTrace::OfProfile(absl::string_view content, TracedFormat format) {
  constexpr unsigned kOfRecords = kTraceArcs | kTraceSamples | kTraceLookups | kTraceBlocks;
  return (levels_ & kOfRecords) == 0 ? "" : records_.OfProfile(content, format);
}

std::string GprofTrace::OfSum(const analyzer::ListingInput& input) const {
  std::string out;
  if ((levels_ & kTraceSamples) == 0) return out;
  const bool is_bsd =
      options_.format == ProfileFormat::kBsd || options_.format == ProfileFormat::k44Bsd;
  for (uint32_t row = 0; row < input.rows.size(); ++row) {
    for (const uint32_t index : input.graph.ArcsFrom(row)) {
      const analyzer::GraphArc& arc = input.graph.arcs[index];
      absl::StrAppendFormat(&out, "[%s] frompc 0x%x selfpc 0x%x count %d\n",
                            is_bsd ? "dumpsum" : "cg_write_arcs", input.rows.Address(row),
                            input.rows.Address(arc.callee), arc.count);
    }
  }
  return out;
}

std::string GprofTrace::OfListing(const std::vector<profile::Histogram>& histograms,
                                  analyzer::ListingInput& input) {
  std::string out;
  const bool traces_lookups = (levels_ & kTraceLookups) != 0;
  if (traces_lookups || (levels_ & kTraceSamples) != 0) {
    out = TraceSamples(input, histograms, searches_, levels_);
  }
  if (input.has_calls && traces_lookups) absl::StrAppend(&out, records_.OfSelfLookups());
  absl::StrAppend(&out, TraceGraph(input, options_.listing, levels_, searches_));
  input.name_ends = TracedNameEnds(input, levels_);
  analyzer::PrintedNames& names = input.names;
  std::deque<std::string>& made = names.made.emplace_back();
  for (size_t row = 0; row < std::min(input.name_ends.size(), names.by_row.size()); ++row) {
    names.by_row[row] = made.emplace_back(absl::StrCat(names[row], input.name_ends[row]));
  }
  input.traces_sorting = (levels_ & kTraceSorting) != 0;
  if (!traces_lookups || !searches_.HasTables(analyzer::Choice::kFlat)) return out;
  for (uint32_t row = 0; row < input.rows.size(); ++row) {
    input.flat_traces.push_back(
        searches_.Trace(analyzer::Choice::kFlat, input.rows.Address(row), false));
  }
  return out;
}

std::string GprofTrace::OfExecutionCounts(const analyzer::ListingInput& input) const {
  std::string out;
  if ((levels_ & kTraceLookups) == 0) return out;
  for (uint32_t row = 0; row < input.rows.size(); ++row) {
    out += searches_.Trace(analyzer::Choice::kCounts, input.rows.Address(row), false);
  }
  return out;
}

std::string GprofTrace::OfSources(const analyzer::ListingInput& input) const {
  std::string counted;
  std::string entered;
  if ((levels_ & kTraceLookups) == 0) return counted;
  absl::flat_hash_set<std::pair<uint32_t, uint32_t>> lines;  // of which a row is entered
  for (uint32_t row = 0; row < input.rows.size(); ++row) {
    if (input.rows.Line(row) == 0) continue;
    const std::string search =
        searches_.Trace(analyzer::Choice::kAnnotate, input.rows.Address(row), false);
    counted += search;
    const std::pair line(input.rows.FileIndex(row), input.rows.Line(row));
    if (lines.contains(line)) continue;
    entered += search;
    if (input.Chosen(analyzer::Choice::kAnnotate).Contains(row)) lines.insert(line);
  }
  return counted + entered;
}

}  // namespace gprofhub::cli
