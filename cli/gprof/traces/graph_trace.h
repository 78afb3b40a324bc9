// Levels 2, 4, 512 and 1024: the search for cycles, and times as they are handed up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/listing/input.h"
#include "analyzer/listing/options.h"
#include "cli/gprof/traces/symspec_searches.h"

namespace gprofhub::cli {

// By row: the end of the function's name at levels 2 and 1024, as NameEnd gives it. Empty at
// other levels.
std::vector<std::string> TracedNameEnds(const analyzer::ListingInput& input, unsigned levels);

std::string TraceGraph(const analyzer::ListingInput& input, const analyzer::ListingOptions& options,
                       unsigned levels, const SymspecSearches& searches = {});

}  // namespace gprofhub::cli
