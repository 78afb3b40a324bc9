// From symbols and a profile to what the listings print from.
#pragma once

#include <vector>

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

enum class FreedParts { kArcs, kArcsAndBins };

// The same. Frees the profile's arcs, and if asked for the bins of its histograms, as soon
// as they are in the result: they take most of the memory of a large profile.
ListingInput PrepareListingFreeing(FreedParts parts, const profile::SymbolTable& symbols,
                                   profile::RawProfile& profile, const ListingOptions& options,
                                   const std::vector<StaticCall>& static_calls = {});

}  // namespace gprofhub::analyzer
