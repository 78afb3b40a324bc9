// The call graph: every function with its callers and callees.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/listing_input.h"
#include "analyzer/text_buffer.h"

namespace gprofhub {

// Each node's number in the call graph, from 1: by falling time with callees,
// cycles before functions, names with '_' last, then by calls and name.
std::vector<uint32_t> PlacesInGraph(const ListingInput& input);

// Entries in the order of `places`. `names` are PrintedNames.
void PrintGraphListing(const ListingInput& input, const ListingOptions& options,
                       const std::vector<std::string>& names, const std::vector<uint32_t>& places,
                       TextSink sink);

// " <cycle n> [place]", the place in parentheses if the node has no entry.
void AppendPlace(const ListingInput& input, const std::vector<uint32_t>& places, uint32_t node,
                 TextBuffer& out);

}  // namespace gprofhub
