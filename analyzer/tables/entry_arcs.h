// The arcs of an entry of the call graph, in the order in which they are printed.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/graph/call_graph.h"
#include "analyzer/tables/function_line_ends.h"

namespace gprofhub::analyzer {

// An arc with its sort key: self-recursive calls come first, then calls within a cycle, then
// ascending shares of time. Arcs of one rank are sorted by counts.
struct RankedArc {
  // 0, 1, or 2 plus the bits of the share, which as an integer are monotonic in the share.
  uint64_t rank;
  uint64_t count;
  ArcTime time;
  uint32_t arc;

  bool operator<(const RankedArc& other) const {
    return rank != other.rank ? rank < other.rank : count < other.count;
  }
};

// The arcs of an entry. The memory is reused for all entries.
struct SortedArcs {
  std::vector<RankedArc> callers;  // ascending
  std::vector<RankedArc> callees;  // descending
};

class EntryArcs {
 public:
  // Both must outlive this.
  EntryArcs(const CallGraph& graph, const FunctionLineEnds& line_ends)
      : graph_(graph), line_ends_(line_ends) {}

  bool IsWithinCycle(const GraphArc& arc) const {
    return line_ends_.Whole(arc.caller) == line_ends_.Whole(arc.callee);
  }

  // The function's arcs; empty for the node of a cycle. Equal arcs keep the order in which they
  // were added.
  void Sort(uint32_t node, SortedArcs& arcs) const;

 private:
  RankedArc RankOf(uint32_t index) const;

  const CallGraph& graph_;
  const FunctionLineEnds& line_ends_;
};

}  // namespace gprofhub::analyzer
