// Levels 2, 4, 512 and 1024: the search for cycles, and times as they are handed up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/listing/input.h"
#include "analyzer/listing/options.h"
#include "cli/gprof/traces/symspec_searches.h"

namespace gprofhub::cli {

// What names end with at levels 2 and 1024, by row: the function's number in the order of
// the search, and the share of its time that is counted. Empty at other levels.
std::vector<std::string> TracedNameEnds(const analyzer::ListingInput& input, unsigned levels);

std::string TraceGraph(const analyzer::ListingInput& input, const analyzer::ListingOptions& options,
                       unsigned levels, const SymspecSearches& searches = {});

}  // namespace gprofhub::cli
