// Computes the input of the listings from symbols and a profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/graph/call_graph.h"
#include "analyzer/graph/static_call.h"
#include "analyzer/listing/input.h"
#include "analyzer/listing/options.h"
#include "profile/raw_profile.h"
#include "profile/symbols.h"

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

}  // namespace gprofhub::analyzer
