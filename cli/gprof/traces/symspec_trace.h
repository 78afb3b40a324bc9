// Level 4096: what each symspec says, and the rows that it chooses; with 16 and 512 the
// arcs that -k leaves out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/listing/rows.h"
#include "cli/gprof/options/options.h"
#include "cli/gprof/traces/arc_trace.h"
#include "cli/gprof/traces/symspec_searches.h"

namespace gprofhub::cli {

// `chosen` takes the arcs that they name, `searches` the tables of their symbols.
// `text_last` as TraceRow's.
std::string TraceSymspecs(const std::vector<SymspecArgument>& arguments,
                          const analyzer::ListingRows& rows, uint64_t text_last, unsigned levels,
                          ChosenArcs& chosen, SymspecSearches& searches);

}  // namespace gprofhub::cli
