#include "analyzer/listing/prepare.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "absl/types/span.h"
#include "analyzer/functions/assign_samples.h"
#include "analyzer/graph/propagate.h"
#include "analyzer/listing/names.h"
#include "analyzer/listing/stacks.h"
#include "analyzer/listing/symspec_rows.h"
#include "base/consumed_memory.h"
#include "base/huge_pages.h"
#include "base/two_workers.h"

namespace gprofhub::analyzer {
namespace {

constexpr size_t kArcsWorthAThread = 20000;

// The profiler itself, by the names it had over the decades: its time is no
// part of the program's.
bool IsProfiler(absl::string_view name) {
  static constexpr absl::string_view kNames[] = {
      "_gprof_mcount",     "mcount",     "_mcount",  "__mcount",
      "__mcount_internal", "__mcleanup", "<locore>", "<hicore>",
  };
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// By row: whether one of the specs chooses it; empty if none chooses any. `last`: of
// the ends of a run.
std::vector<bool> MatchRows(const ListingRows& rows, const std::vector<Symspec>& specs,
                            uint32_t ChosenRun::*last = &ChosenRun::last_chosen) {
  std::vector<bool> matched;
  for (const Symspec& spec : specs) {
    for (const ChosenRun& run : ChosenRuns(rows, spec)) {
      matched.resize(rows.size());
      std::fill(matched.begin() + run.first, matched.begin() + run.*last + 1, true);
    }
  }
  return matched;
}

void ChooseRows(const SymspecLists& lists, ListingInput& input) {
  for (size_t choice = 0; choice < kChoices; ++choice) {
    input.chosen[choice] = {MatchRows(input.rows, lists.include[choice]),
                            MatchRows(input.rows, lists.exclude[choice])};
  }
  for (uint32_t row = 0; row < input.rows.size(); ++row) {
    if (!IsProfiler(input.rows.LinkageName(row))) continue;
    for (const Choice choice : {Choice::kFlat, Choice::kGraph, Choice::kTime}) {
      std::vector<bool>& excluded = input.chosen[static_cast<size_t>(choice)].excluded;
      excluded.resize(input.rows.size());
      excluded[row] = true;
    }
  }
}

TimeRole RoleOf(const ChosenRows& rows, uint32_t row) {
  if (rows.Contains(row)) return TimeRole::kCounted;
  return rows.IsExcluded(row) ? TimeRole::kExcluded : TimeRole::kInherited;
}

// Which calls symspecs leave in the graph.
class ArcFilter {
 public:
  ArcFilter(const ListingRows& rows, const SymspecLists& lists)
      : included_(rows, lists.included_arcs),
        excluded_(rows, lists.excluded_arcs),
        accepts_all_(!included_.has_callers && excluded_.pairs.empty()) {}

  bool Accepts(uint32_t caller, uint32_t callee) const {
    if (accepts_all_) return true;
    return included_.has_callers ? included_.Has(caller, callee) : !excluded_.Has(caller, callee);
  }

 private:
  struct Pair {
    std::vector<bool> from;
    std::vector<bool> to;
  };

  struct Pairs {
    Pairs(const ListingRows& rows, const std::vector<std::pair<Symspec, Symspec>>& specs) {
      for (const auto& [from, to] : specs) {
        Pair pair{MatchRows(rows, {from}, &ChosenRun::last_caller),
                  MatchRows(rows, {to}, &ChosenRun::last_matched)};
        has_callers |= !pair.from.empty();
        if (!pair.from.empty() && !pair.to.empty()) pairs.push_back(std::move(pair));
      }
    }
    bool Has(uint32_t caller, uint32_t callee) const {
      return std::any_of(pairs.begin(), pairs.end(),
                         [&](const Pair& pair) { return pair.from[caller] && pair.to[callee]; });
    }

    std::vector<Pair> pairs;
    bool has_callers = false;
  };

  const Pairs included_;
  const Pairs excluded_;
  const bool accepts_all_;
};

// Leaves the profile's arcs as they are only if they are needed once more: for what is
// called from outside, and for stacks.
void AddArcs(profile::RawProfile& profile, const SymspecLists& lists,
             const std::vector<StaticCall>& static_calls, ListingInput& input) {
  const FunctionFinder finder(input.rows.table());
  const ArcFilter filter(input.rows, lists);
  std::vector<GraphArc>& arcs = input.graph.arcs;
  const auto resolve = [&](uint64_t from_pc, uint64_t to_pc, uint64_t count, GraphArc& arc) {
    const uint32_t caller = finder.ByAddress(from_pc);
    const uint32_t callee = finder.CallTarget(to_pc);
    if (caller == kNoFunction || callee == kNoFunction) return false;
    if (!filter.Accepts(caller, callee)) return false;
    arc = {caller, callee, count};
    return true;
  };
  const bool is_last_use = !profile.has_spontaneous && profile.stacks.empty();
  base::ReserveInHugePages(profile.arcs.size() + static_calls.size(), arcs);
  arcs.resize(profile.arcs.size());
  struct Filled {
    size_t begin = 0;
    size_t end = 0;
  };
  std::array<Filled, 2> filled;  // by half
  base::ForBothHalves(arcs.size(), kArcsWorthAThread, [&](size_t begin, size_t end) {
    constexpr size_t kAhead = 16;
    base::ConsumedMemory read(profile.arcs.data() + begin);
    size_t next = begin;
    for (size_t i = begin; i < end; ++i) {
      if (i + 2 * kAhead < end) finder.FetchBucket(profile.arcs[i + 2 * kAhead].self_pc);
      if (i + kAhead < end) finder.FetchRow(profile.arcs[i + kAhead].self_pc);
      const profile::RawArc& arc = profile.arcs[i];
      if (arc.from_pc == 0 && profile.has_spontaneous) continue;
      next += resolve(arc.from_pc, arc.self_pc, arc.count, arcs[next]);
      if (is_last_use && i % 1024 == 0) read.ReadUpTo(&arc);
    }
    filled[begin == 0 ? 0 : 1] = {begin, next};
  });
  if (filled[0].end < filled[1].begin) {
    std::copy(arcs.begin() + filled[1].begin, arcs.begin() + filled[1].end,
              arcs.begin() + filled[0].end);
  }
  arcs.resize(filled[0].end + filled[1].end - filled[1].begin);
  for (const StaticCall& call : static_calls) {
    if (GraphArc arc; resolve(call.from_pc, call.to_pc, 0, arc)) arcs.push_back(arc);
  }
  if (!profile.has_spontaneous) return;
  for (const profile::RawArc& arc : profile.arcs) {
    const uint32_t callee = arc.from_pc == 0 ? finder.CallTarget(arc.self_pc) : kNoFunction;
    if (callee != kNoFunction) input.graph.AddSpontaneous(callee, arc.count);
  }
}

// Functions have an entry if their callers have, unless they are chosen or
// excluded themselves, and without callers if they are chosen.
void ChooseEntries(ListingInput& input) {
  const CallGraph& graph = input.graph;
  const ChosenRows& chosen = input.Chosen(Choice::kGraph);
  input.in_graph.assign(graph.nodes.size(), false);
  for (auto node = graph.callees_first.rbegin(); node != graph.callees_first.rend(); ++node) {
    const uint32_t function = *node;
    // With its callers or without: nothing was chosen, and it is not excluded.
    if (function < graph.function_count() && chosen.included.empty() &&
        !chosen.IsExcluded(function)) {
      input.in_graph[function] = true;
      continue;
    }
    const absl::Span<const uint32_t> members =
        function < graph.function_count()
            ? absl::MakeConstSpan(&function, 1)
            : absl::MakeConstSpan(graph.cycles[function - graph.function_count()]);
    bool inherited = false;
    for (const uint32_t member : members) {
      for (const uint32_t arc : graph.ArcsTo(member)) {
        const uint32_t caller = graph.arcs[arc].caller;
        if (graph.Representative(caller) != *node && input.in_graph[caller]) inherited = true;
      }
    }
    input.in_graph[*node] = inherited;
    for (const uint32_t member : members) {
      input.in_graph[member] = inherited ? chosen.IsIncluded(member) || !chosen.IsExcluded(member)
                                         : chosen.Contains(member);
    }
  }
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
                                   const std::vector<StaticCall>& static_calls) {
  ListingInput input;
  input.rows = ListingRows(symbols, options.rows);
  ChooseRows(options.symspecs, input);
  const ListingRows& rows = input.rows;
  AssignedSamples samples = AssignSamples(rows.table(), profile.histograms, options.rows.policy);
  for (uint32_t row = 0; row < rows.size(); ++row) {
    if (input.Chosen(Choice::kFlat).Contains(row)) continue;
    samples.total -= samples.by_function[row];
    samples.by_function[row] = 0;
  }
  input.has_calls = !profile.arcs.empty();
  input.total_samples = samples.total;
  if (!profile.histograms.empty()) {
    const profile::Histogram& first = profile.histograms.front();
    input.rate = std::max(first.rate, 1u);
    input.dimension = first.dimension;
    input.abbreviation = first.abbreviation;
    input.bytes_per_bin =
        (first.high_pc - first.low_pc) / kUnitBytes / first.bins.size() * kUnitBytes;
  }
  if (parts == FreedParts::kArcsAndBins) {
    for (profile::Histogram& histogram : profile.histograms)
      histogram.bins = std::vector<uint64_t>();
  }
  input.graph = CallGraph(samples.by_function);
  for (uint32_t row = 0; row < rows.size(); ++row) {
    input.graph.nodes[row].role = RoleOf(input.Chosen(Choice::kTime), row);
  }
  AddArcs(profile, options.symspecs, static_calls, input);
  const ListingStacks stacks(profile, rows);
  profile.arcs = std::vector<profile::RawArc>();  // {} would keep its memory
  stacks.AddUncountedArcs(input.graph);
  input.graph.Finish();
  base::RunBoth(
      input.graph.arcs.size() >= kArcsWorthAThread, [&] { Propagate(input.graph); },
      [&] {
        if (options.HasTables()) input.names = PrintNames(input, options);
        if (options.HasPlaces()) input.name_ranks = RanksByName(input.rows);
      });
  input.measured_note = stacks.Apply(input.graph);
  ChooseEntries(input);
  return input;
}

}  // namespace gprofhub::analyzer
