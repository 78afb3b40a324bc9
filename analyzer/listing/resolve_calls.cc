// A large profile has millions of arcs, whose functions are scattered in memory. Three
// optimisations, which do not affect the result: two workers resolve one half each, the data of the
// next arcs is prefetched, and the memory of arcs that were read is released.
#include "analyzer/listing/resolve_calls.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "absl/functional/function_ref.h"
#include "base/fetch_ahead.h"
#include "base/memory/consumed_memory.h"
#include "base/memory/huge_pages.h"
#include "base/two_workers.h"

namespace gprofhub::analyzer {
namespace {

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

}  // namespace

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

}  // namespace gprofhub::analyzer
