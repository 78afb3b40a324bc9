// The header above the call graph's entries.
#pragma once

#include <string>

#include "analyzer/graph/call_graph.h"
#include "analyzer/listing/input.h"
#include "analyzer/listing/options.h"

namespace gprofhub::analyzer {

// The width of the column of callees' time.
inline int ChildrenWidth(const ListingOptions& options) { return options.traditional ? 11 : 7; }

// All counted samples, the base of the percentages.
double CountedSamples(const CallGraph& graph);

// `total` is CountedSamples.
std::string CallGraphHeader(const ListingInput& input, const ListingOptions& options, double total);

}  // namespace gprofhub::analyzer
