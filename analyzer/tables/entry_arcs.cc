#include "analyzer/tables/entry_arcs.h"

#include <algorithm>
#include <bit>

namespace gprofhub::analyzer {

RankedArc EntryArcs::RankOf(uint32_t index) const {
  const GraphArc& arc = graph_.arcs[index];
  if (IsWithinCycle(arc)) return {arc.caller == arc.callee ? 0u : 1u, arc.count, {}, index};
  const ArcTime time = graph_.TimeOf(index);
  return {std::bit_cast<uint64_t>(std::max(0.0, time.self + time.child)) + 2, arc.count, time,
          index};
}

void EntryArcs::Sort(uint32_t function, SortedArcs& arcs) const {
  arcs.callers.clear();
  arcs.callees.clear();
  if (function >= graph_.function_count()) return;
  for (const uint32_t arc : graph_.ArcsTo(function)) arcs.callers.push_back(RankOf(arc));
  for (const uint32_t arc : graph_.ArcsFrom(function)) arcs.callees.push_back(RankOf(arc));
  std::sort(arcs.callers.begin(), arcs.callers.end(), [](const RankedArc& a, const RankedArc& b) {
    return a < b || (!(b < a) && a.arc < b.arc);
  });
  std::sort(arcs.callees.begin(), arcs.callees.end(), [](const RankedArc& a, const RankedArc& b) {
    return b < a || (!(a < b) && a.arc < b.arc);
  });
}

}  // namespace gprofhub::analyzer
