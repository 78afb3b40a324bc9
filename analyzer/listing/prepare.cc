#include "analyzer/listing/prepare.h"

#include <algorithm>
#include <utility>

#include "analyzer/functions/assign_samples.h"
#include "analyzer/functions/function_table.h"
#include "analyzer/graph/break_cycles.h"
#include "analyzer/graph/propagate.h"
#include "analyzer/listing/choose_rows.h"
#include "analyzer/listing/names.h"
#include "analyzer/listing/quantities.h"
#include "analyzer/listing/resolve_calls.h"
#include "analyzer/listing/stacks.h"
#include "base/memory/consumed_memory.h"
#include "base/two_workers.h"

namespace gprofhub::analyzer {
namespace {

// The unit of one sample, which is the same for all histograms of a profile.
void DescribeSampling(const std::vector<profile::Histogram>& histograms, ListingInput& input) {
  if (histograms.empty()) return;
  const profile::Histogram& first = histograms.front();
  input.rate = std::max(first.rate, 1u);
  input.dimension = first.dimension;
  input.abbreviation = first.abbreviation;
  input.bytes_per_bin =
      (first.high_pc - first.low_pc) / kUnitBytes / first.bins.size() * kUnitBytes;
}

// Attributes samples to the rows of the flat profile, and makes the rows the graph's nodes.
void AttributeSamples(const std::vector<profile::Histogram>& histograms, SymbolPolicy policy,
                      ListingInput& input) {
  AssignedSamples samples = AssignSamples(input.rows.table(), histograms, policy);
  for (uint32_t row = 0; row < input.rows.size(); ++row) {
    if (input.Chosen(Choice::kFlat).Contains(row)) continue;
    samples.total -= samples.by_function[row];
    samples.by_function[row] = 0;
  }
  input.total_samples = samples.total;
  input.graph = CallGraph(samples.by_function);
  for (uint32_t row = 0; row < input.rows.size(); ++row) {
    input.graph.nodes[row].role = RoleOf(input.Chosen(Choice::kTime), row);
  }
}

void Break(CycleBreaking& breaking, CallGraph& graph) {
  const std::vector<BrokenCycle> broken = BreakCycles(graph, breaking.least_members);
  for (const BrokenCycle& cycle : broken) {
    CutCycle cut;
    cut.members = graph.cycles[cycle.cycle - 1].size();
    cut.at_least = cycle.at_least;
    cut.calls = cycle.calls;
    for (const uint32_t arc : cycle.arcs) cut.arcs.push_back(graph.arcs[arc]);
    breaking.found.push_back(std::move(cut));
  }
  if (breaking.cut) graph = WithoutArcs(graph, broken);
}

// Propagates times to callers. Names do not depend on times and are computed concurrently.
void PropagateAndName(const ListingOptions& options, ListingInput& input) {
  constexpr size_t kArcsWorthAThread = 20000;
  base::RunBoth(
      input.graph.arcs.size() >= kArcsWorthAThread, [&] { Propagate(input.graph); },
      [&] {
        if (options.HasTables()) input.names = PrintNames(input, options);
        if (options.HasIndexNumbers()) input.name_ranks = RanksByName(input.rows);
      });
}

}  // namespace

ListingInput PrepareListing(const profile::SymbolTable& symbols, const profile::RawProfile& profile,
                            const ListingOptions& options,
                            const std::vector<StaticCall>& static_calls) {
  profile::RawProfile copy = profile;
  return PrepareListingFreeing(FreedParts::kArcs, symbols, copy, options, static_calls);
}

ListingInput PrepareListingFreeing(FreedParts parts, const profile::SymbolTable& symbols,
                                   profile::RawProfile& profile, const ListingOptions& options,
                                   const std::vector<StaticCall>& static_calls,
                                   CycleBreaking* breaking) {
  ListingInput input;
  input.rows = ListingRows(symbols, options.rows);
  ChooseRows(options.symspecs, input);

  DescribeSampling(profile.histograms, input);
  AttributeSamples(profile.histograms, options.rows.policy, input);
  if (parts == FreedParts::kArcsAndBins) {
    for (profile::Histogram& histogram : profile.histograms) base::FreeMemoryOf(histogram.bins);
  }

  input.has_calls = !profile.arcs.empty();
  ResolveCalls(profile, static_calls, FunctionFinder(input.rows.table()),
               ArcFilter(input.rows, options.symspecs), input.graph);
  const ListingStacks stacks(profile, input.rows);
  base::FreeMemoryOf(profile.arcs);
  stacks.AddUncountedArcs(input.graph);
  input.graph.Finish();
  if (breaking != nullptr) Break(*breaking, input.graph);

  PropagateAndName(options, input);
  if (breaking == nullptr || !breaking->cut) input.measured_note = stacks.Apply(input.graph);
  if (options.HasTables()) input.quantity_notes = QuantityNotes(input);
  ChooseEntries(input);
  return input;
}

}  // namespace gprofhub::analyzer
