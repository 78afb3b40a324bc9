// From symbols and a profile to what the listings print from.
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

}  // namespace gprofhub::analyzer
