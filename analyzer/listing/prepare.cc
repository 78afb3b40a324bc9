#include "analyzer/listing/prepare.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_format.h"
#include "analyzer/graph/break_cycles.h"
#include "analyzer/graph/call_graph.h"
#include "analyzer/graph/function_table.h"
#include "analyzer/listing/rows.h"
#include "base/lru_cache.h"
#include "base/parallel.h"
#include "base/text.h"
#include "profile/raw_profile.h"

namespace gprofhub::base {

namespace {

// Large arrays with random access.

// Reserves memory for `count` elements. If that is large, requests huge pages (2 MiB), so that TLB
// misses do not dominate the access time; no effect if the system has none. The vector must be
// empty.
template <typename T>
void ReserveInHugePages(size_t count, std::vector<T>& elements) {
  constexpr size_t kMuch = size_t{16} << 20;
  elements.reserve(count);
  if (count * sizeof(T) < kMuch) return;
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto data = reinterpret_cast<uintptr_t>(elements.data());
  const uintptr_t begin = (data + page - 1) / page * page;
  const uintptr_t end = (data + count * sizeof(T)) / page * page;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace

}  // namespace gprofhub::base

namespace gprofhub::analyzer {

namespace {

// Resolves the addresses of calls to callers and callees.
//
// A large profile has millions of arcs, whose functions are scattered in memory. Three
// optimisations, which do not affect the result: two workers resolve one half each, the data of the
// next arcs is prefetched, and the memory of arcs that were read is released.

// Adds the profile's calls to `graph`, and the static ones with a count of 0, as far as both
// ends are in functions and `filter` accepts them. `finder` belongs to the rows' table. Must be
// called before CallGraph::Finish. May release the memory of profile.arcs while reading, after
// which they read as zeros, unless ListingStacks needs them.
void ResolveCalls(profile::RawProfile& profile, const std::vector<StaticCall>& static_calls,
                  const FunctionFinder& finder, const ArcFilter& filter, CallGraph& graph);

constexpr size_t kArcsWorthAThread = 20000;

// Fills the empty list `arcs`, in order, with the arcs that two workers make from `count` items.
// `make` makes at most one arc per item from `begin` to `end`, stores them from arcs[begin] on, and
// returns their number. Capacity for `further` arcs remains.
void AppendFromBothHalves(size_t count, size_t further, std::vector<GraphArc>& arcs,
                          absl::FunctionRef<size_t(size_t begin, size_t end)> make) {
  struct Made {
    size_t begin = 0;
    size_t end = 0;
  };
  std::array<Made, 2> made;  // by half
  base::ReserveInHugePages(count + further, arcs);
  arcs.resize(count);
  base::ForBothHalves(count, kArcsWorthAThread, [&](size_t begin, size_t end) {
    made[begin == 0 ? 0 : 1] = {begin, begin + make(begin, end)};
  });
  if (made[0].end < made[1].begin) {
    std::copy(arcs.begin() + made[1].begin, arcs.begin() + made[1].end, arcs.begin() + made[0].end);
  }
  arcs.resize(made[0].end + made[1].end - made[1].begin);
}

void ResolveCalls(profile::RawProfile& profile, const std::vector<StaticCall>& static_calls,
                  const FunctionFinder& finder, const ArcFilter& filter, CallGraph& graph) {
  // Whether the call belongs to the graph, as `arc`.
  const auto resolve = [&](uint64_t from_pc, uint64_t to_pc, uint64_t count, GraphArc& arc) {
    const uint32_t caller = finder.ByAddress(from_pc);
    const uint32_t callee = finder.CallTarget(to_pc);
    if (caller == kNoFunction || callee == kNoFunction) return false;
    if (!filter.Accepts(caller, callee)) return false;
    arc = {caller, callee, count};
    return true;
  };
  const auto is_spontaneous = [&](const profile::RawArc& arc) {
    return arc.from_pc == 0 && profile.has_spontaneous;
  };
  const std::vector<profile::RawArc>& recorded = profile.arcs;
  const bool is_last_use = !profile.has_spontaneous && profile.stacks.empty();
  AppendFromBothHalves(
      recorded.size(), static_calls.size(), graph.arcs, [&](size_t begin, size_t end) {
        base::ConsumedMemory read(recorded.data() + begin);
        size_t next = begin;
        base::ForEachFetched(
            begin, end,
            [&](size_t i) {
              const profile::RawArc& arc = recorded[i];
              if (is_spontaneous(arc)) return;
              next += resolve(arc.from_pc, arc.self_pc, arc.count, graph.arcs[next]);
              if (is_last_use && i % 1024 == 0) read.ReadUpTo(&arc);
            },
            base::FetchAhead{32, [&](size_t i) { finder.FetchBucket(recorded[i].self_pc); }},
            base::FetchAhead{16, [&](size_t i) { finder.FetchRow(recorded[i].self_pc); }});
        return next - begin;
      });
  for (const StaticCall& call : static_calls) {
    if (GraphArc arc; resolve(call.from_pc, call.to_pc, 0, arc)) graph.arcs.push_back(arc);
  }
  if (!profile.has_spontaneous) return;
  for (const profile::RawArc& arc : recorded) {
    if (!is_spontaneous(arc)) continue;
    const uint32_t callee = finder.CallTarget(arc.self_pc);
    if (callee != kNoFunction) graph.AddSpontaneous(callee, arc.count);
  }
}

// The frames of the profile's stacks with their rows. `finder` belongs to the rows' table.
std::vector<StackNode> StacksByRow(const profile::RawProfile& profile, const ListingRows& rows,
                                   const FunctionFinder& finder) {
  const std::vector<profile::StackFrame>& frames = profile.stacks;
  return ResolveStacks(
      frames.size(), [&](size_t i) -> const profile::StackFrame& { return frames[i]; },
      [&](size_t i, uint64_t address) -> FrameFunction {
        if (frames[i].pc == profile::kFramesMissing) return {};
        const uint32_t row = finder.ByAddress(address);
        return row == kNoFunction ? FrameFunction() : FrameFunction{row, rows.Address(row)};
      });
}

}  // namespace

ListingStacks::ListingStacks(const profile::RawProfile& profile, const ListingRows& rows)
    : rows_(rows) {
  if (profile.stacks.empty()) return;
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
  const auto functions = static_cast<uint32_t>(representatives.size());
  StackMeter meter(functions, std::move(representatives), static_cast<uint32_t>(nodes), known_,
                   std::move(outermost), /*by_site=*/false);
  meter.Add(forest_);
  return meter.Take();
}

void ListingStacks::AddUncountedArcs(CallGraph& graph) const {
  if (forest_.empty() || rows_.by_line()) return;
  std::vector<uint32_t> representatives(graph.function_count());
  std::iota(representatives.begin(), representatives.end(), 0);
  const MeasuredTimes measured = Measure(std::move(representatives), graph.function_count());
  for (const MeasuredArc& arc : measured.arcs) {
    if (!known_.Calls(arc.caller, arc.callee)) graph.AddCalls(arc.caller, arc.callee, 0);
  }
}

std::string ListingStacks::Apply(CallGraph& graph) const {
  if (forest_.empty() || rows_.by_line()) return "";
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

// The samples in other objects are in no row: GNU gprof does not know them.
std::string OthersNote(const profile::RawProfile& profile, double listed) {
  constexpr size_t kMostNamed = 3;
  std::vector<std::pair<uint64_t, std::string>> objects;
  double outside = 0;
  const std::vector<uint64_t> samples = profile::SamplesInOthers(profile);
  for (size_t i = 0; i < samples.size(); ++i) {
    if (samples[i] == 0) continue;
    objects.emplace_back(samples[i], base::Printable(profile.others[i].name));
    outside += static_cast<double>(samples[i]);
  }
  if (objects.empty()) return "";
  std::sort(objects.begin(), objects.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  const double all = listed + outside;
  std::string named;
  for (size_t i = 0; i < std::min(kMostNamed, objects.size()); ++i) {
    absl::StrAppendFormat(&named, "%s%s %.1f%%", i == 0 ? "" : ", ", objects[i].second,
                          100 * static_cast<double>(objects[i].first) / all);
  }
  return absl::StrFormat("not listed: %.1f%% of all samples, in other objects (%s%s)\n",
                         100 * outside / all, named, objects.size() > kMostNamed ? ", ..." : "");
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
  ListingStacks stacks(profile, input.rows);
  base::FreeMemoryOf(profile.arcs);
  stacks.AddUncountedArcs(input.graph);
  input.graph.Finish();
  if (breaking != nullptr) Break(*breaking, input.graph);

  PropagateAndName(options, input);
  if (breaking == nullptr || !breaking->cut) input.measured_note = stacks.Apply(input.graph);
  input.stacks = stacks.Take();
  if (options.HasTables()) {
    input.quantity_notes = QuantityNotes(input);
    input.others_note = OthersNote(profile, input.total_samples);
  }
  ChooseEntries(input);
  return input;
}

}  // namespace gprofhub::analyzer
