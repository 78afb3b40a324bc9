// The flat profile: every function with its own time and calls.
#pragma once

#include <string>
#include <vector>

#include "analyzer/listing_input.h"
#include "analyzer/text_buffer.h"

namespace gprofhub {

// Rows by falling own time, then calls, then name. `names` are PrintedNames;
// `places`, for the traditional style only, each node's place in the call graph.
void PrintFlatListing(const ListingInput& input, const ListingOptions& options,
                      const std::vector<std::string>& names, const std::vector<uint32_t>& places,
                      TextSink sink);

}  // namespace gprofhub
