// Computes the input of the listings from symbols and a profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/graph/call_graph.h"
#include "analyzer/graph/measured_times.h"
#include "analyzer/listing/rows.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

// Resolves `profile` against `symbols` as GNU gprof does. `symbols`, except for their lines, must
// outlive the result.
ListingInput PrepareListing(const profile::SymbolTable& symbols, const profile::RawProfile& profile,
                            const ListingOptions& options,
                            const std::vector<StaticCall>& static_calls = {});

// A cycle, and arcs whose removal breaks it.
struct CutCycle {
  size_t members = 0;
  size_t at_least = 0;  // lower bound of the number of such arcs
  uint64_t calls = 0;   // of the arcs
  std::vector<GraphArc> arcs;
};

// Requests the smallest set of arcs that breaks cycles (analyzer/graph/break_cycles.h).
struct CycleBreaking {
  size_t least_members = 2;  // minimum size of the cycles to break
  bool cut = false;          // remove the arcs from the graph; times then follow from counts
  std::vector<CutCycle> found;
};

enum class FreedParts { kArcs, kArcsAndBins };

// The same, but frees the profile's arcs, and on request the bins of its histograms, as soon as
// they are in the result: they take most of the memory of a large profile. If `breaking` is not
// null, breaks the cycles as it requests, and stores the arcs there.
ListingInput PrepareListingFreeing(FreedParts parts, const profile::SymbolTable& symbols,
                                   profile::RawProfile& profile, const ListingOptions& options,
                                   const std::vector<StaticCall>& static_calls = {},
                                   CycleBreaking* breaking = nullptr);

// Replaces estimated times by measured ones in listings of one image.

// The stacks of a profile, resolved against the rows of a listing. Line-by-line listings keep their
// estimates.
class ListingStacks {
 public:
  // Both must outlive the stacks.
  ListingStacks(const profile::RawProfile& profile, const ListingRows& rows);

  // Adds the arcs that occur on stacks but were not counted, with a count of 0. Call before
  // CallGraph::Finish.
  void AddUncountedArcs(CallGraph& graph) const;

  // Replaces Propagate's estimates. Returns a line about the coverage; empty if no stacks were
  // recorded.
  std::string Apply(CallGraph& graph) const;

  // ListingInput::stacks, with hidden frames. To be called last.
  std::vector<StackNode> Take() { return WithHiddenFrames(std::move(forest_), known_); }

 private:
  MeasuredTimes Measure(std::vector<uint32_t> representatives, size_t nodes) const;

  const ListingRows& rows_;
  KnownCalls known_;
  std::vector<StackNode> forest_;
};

}  // namespace gprofhub::analyzer
