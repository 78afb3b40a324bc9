// The smallest set of arcs without which a call graph has no cycles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "analyzer/graph/call_graph.h"

namespace gprofhub::analyzer {

struct BreakLimits {
  size_t exact_members = 16;    // largest cycle that is solved exactly; at most 20
  uint64_t steps = 50'000'000;  // limit per larger cycle, about the number of visited arcs
};

// The arcs that break one cycle.
struct BrokenCycle {
  uint32_t cycle = 0;          // its number in the graph, from 1
  std::vector<uint32_t> arcs;  // as indices, those with the most calls first
  uint64_t calls = 0;          // of these arcs
  size_t at_least = 0;         // lower bound of the number of arcs that break the cycle

  bool IsSmallest() const { return arcs.size() == at_least; }
};

// A feedback arc set of each cycle with at least `least_members` functions: of the fewest arcs, and
// among sets of the same size, of the fewest calls. For cycles beyond the limit the set is small
// and minimal (no arc can be removed from it). The graph must be Finished. Deterministic. Source:
// Graham, Kessler, McKusick, "gprof", in: 20 Years of PLDI (2004), which proposes it; BSD gprof's
// option -C.
std::vector<BrokenCycle> BreakCycles(const CallGraph& graph, size_t least_members,
                                     const BreakLimits& limits = {});

// The graph without these arcs, Finished. Functions keep their numbers, samples and roles. Must be
// called before Propagate.
CallGraph WithoutArcs(const CallGraph& graph, absl::Span<const BrokenCycle> broken);

}  // namespace gprofhub::analyzer
