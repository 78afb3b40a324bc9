#include "analyzer/tables/entry_arcs.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "absl/strings/str_format.h"
#include "absl/types/span.h"

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

// GNU gprof sorts by insertion: each arc, the latest first, is compared with those that it
// has to stand behind, and with one more.
template <typename Before>
void EntryArcs::TraceSorting(absl::Span<const uint32_t> latest_first, Before before,
                             TextBuffer& out) const {
  std::vector<RankedArc> sorted;
  for (const uint32_t index : latest_first) {
    const RankedArc ranked = RankOf(index);
    auto place = sorted.begin();
    for (; place != sorted.end(); ++place) {
      AppendCompared(ranked, out);
      AppendCompared(*place, out);
      out.Append('\n');
      if (!before(*place, ranked)) break;
    }
    sorted.insert(place, ranked);
  }
}

void EntryArcs::AppendCompared(const RankedArc& ranked, TextBuffer& out) const {
  const GraphArc& arc = graph_.arcs[ranked.arc];
  out.Append("[cmp_arc] ");
  line_ends_.AppendName(arc.caller, out);
  out.RemoveLast();  // the end of the line
  out.Append(" calls ");
  line_ends_.AppendName(arc.callee, out);
  out.RemoveLast();
  out.Append(absl::StrFormat(" %f + %f %d/%d\n", ranked.time.self, ranked.time.child, arc.count,
                             graph_.nodes[arc.callee].calls));
}

void EntryArcs::TraceCallers(uint32_t function, TextBuffer& out) const {
  TraceSorting(graph_.ArcsTo(function), std::less<>(), out);
}

void EntryArcs::TraceCallees(uint32_t function, TextBuffer& out) const {
  TraceSorting(graph_.ArcsFrom(function), std::greater<>(), out);
}

}  // namespace gprofhub::analyzer
