// The arcs of an entry of the call graph, in the order in which they are printed.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/graph/call_graph.h"
#include "analyzer/tables/function_line_ends.h"

namespace gprofhub::analyzer {

// An arc with what it is sorted by: calls of a function by itself come first, then calls
// within a cycle, then rising shares of time. Arcs of one rank are sorted by counts.
struct RankedArc {
  // 0, 1, or 2 plus the bits of the share, which as a number rise with the share.
  uint64_t rank;
  uint64_t count;
  ArcTime time;
  uint32_t arc;

  bool operator<(const RankedArc& other) const {
    return rank != other.rank ? rank < other.rank : count < other.count;
  }
};

// Of an entry. The same memory serves for all entries.
struct SortedArcs {
  std::vector<RankedArc> callers;  // rising
  std::vector<RankedArc> callees;  // falling
};

class EntryArcs {
 public:
  // Both must outlive this.
  EntryArcs(const CallGraph& graph, const FunctionLineEnds& line_ends)
      : graph_(graph), line_ends_(line_ends) {}

  bool IsWithinCycle(const GraphArc& arc) const {
    return line_ends_.Whole(arc.caller) == line_ends_.Whole(arc.callee);
  }

  // The function's arcs, or none of a cycle's node. Of equals the arc that was added first
  // comes first.
  void Sort(uint32_t node, SortedArcs& arcs) const;

 private:
  RankedArc RankOf(uint32_t index) const;

  const CallGraph& graph_;
  const FunctionLineEnds& line_ends_;
};

}  // namespace gprofhub::analyzer
