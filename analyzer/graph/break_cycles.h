// The smallest set of arcs without which a call graph has no cycles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "analyzer/graph/call_graph.h"

namespace gprofhub::analyzer {

struct BreakLimits {
  size_t exact_members = 16;    // the best set is found in cycles of so many functions, at most 20
  uint64_t steps = 50'000'000;  // for each larger cycle: about how many arcs are looked at
};

// What breaks one cycle.
struct BrokenCycle {
  uint32_t cycle = 0;          // its number in the graph, from 1
  std::vector<uint32_t> arcs;  // as indices, those with the most calls first
  uint64_t calls = 0;          // of these arcs
  size_t at_least = 0;         // no set of fewer arcs breaks the cycle

  bool IsSmallest() const { return arcs.size() == at_least; }
};

// For each cycle with `least_members` functions or more, arcs without which nothing of it is
// cyclic: as few as possible, and among sets of as many arcs those with the fewest calls. In cycles
// beyond the limit a set that is small, and of which no arc can be spared. The graph is Finished.
// Deterministic. Source: Graham, Kessler, McKusick, "gprof", in: 20 Years of PLDI (2004), which
// asks for it; BSD gprof's option -C.
std::vector<BrokenCycle> BreakCycles(const CallGraph& graph, size_t least_members,
                                     const BreakLimits& limits = {});

// The graph without these arcs, Finished; functions keep their numbers, samples and roles. To be
// called before Propagate.
CallGraph WithoutArcs(const CallGraph& graph, absl::Span<const BrokenCycle> broken);

}  // namespace gprofhub::analyzer
