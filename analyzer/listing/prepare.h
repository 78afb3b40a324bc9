// From symbols and a profile to what the listings print from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/graph/call_graph.h"
#include "analyzer/graph/measured_times.h"
#include "analyzer/listing/rows.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

// Resolves `profile` against `symbols` as GNU gprof does. `symbols` must outlive the
// result, but for their lines: the result does not need these.
ListingInput PrepareListing(const profile::SymbolTable& symbols, const profile::RawProfile& profile,
                            const ListingOptions& options,
                            const std::vector<StaticCall>& static_calls = {});

// A cycle, and arcs without which it is none.
struct CutCycle {
  size_t members = 0;
  size_t at_least = 0;  // no set of fewer arcs breaks it
  uint64_t calls = 0;   // of the arcs
  std::vector<GraphArc> arcs;
};

// Asks for the smallest set of arcs that breaks cycles (analyzer/graph/break_cycles.h).
struct CycleBreaking {
  size_t least_members = 2;  // of the cycles that are to be broken
  bool cut = false;          // the arcs are left out of the graph; times then follow from counts
  std::vector<CutCycle> found;
};

enum class FreedParts { kArcs, kArcsAndBins };

// The same. Frees the profile's arcs, and if asked for the bins of its histograms, as soon
// as they are in the result: they take most of the memory of a large profile. With `breaking`,
// not null, the cycles are broken as it says, and what does that is put there.
ListingInput PrepareListingFreeing(FreedParts parts, const profile::SymbolTable& symbols,
                                   profile::RawProfile& profile, const ListingOptions& options,
                                   const std::vector<StaticCall>& static_calls = {},
                                   CycleBreaking* breaking = nullptr);

// Measured times in the place of estimated ones, in listings of one image.

// The frames of the profile's stacks, each with the row it is of; `finder` is of
// the rows' table.
std::vector<StackNode> StacksByRow(const profile::RawProfile& profile, const ListingRows& rows,
                                   const FunctionFinder& finder);

// The stacks of an image's samples, resolved against the rows of a listing; of
// line-by-line listings none are.
class ListingStacks {
 public:
  // Both must outlive the stacks.
  ListingStacks(const profile::RawProfile& profile, const ListingRows& rows);

  // Adds the arcs that stand on stacks and were not counted, with a count of 0.
  // Before CallGraph::Finish.
  void AddUncountedArcs(CallGraph& graph) const;

  // Replaces what Propagate estimated. Returns what there is to say of it, a
  // line; nothing where no stacks were recorded.
  std::string Apply(CallGraph& graph) const;

 private:
  MeasuredTimes Measure(std::vector<uint32_t> representatives, size_t nodes) const;

  const ListingRows& rows_;
  KnownCalls known_;
  std::vector<StackNode> forest_;
};

}  // namespace gprofhub::analyzer
