// The call graph: every function with its callers and callees.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/listing_input.h"
#include "analyzer/text_buffer.h"

namespace gprofhub {

// Entries in the order of `places`.
void PrintGraphListing(const ListingInput& input, const ListingOptions& options,
                       const std::vector<uint32_t>& places, TextSink sink);

}  // namespace gprofhub
