// The call graph: every function with its callers and callees.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/listing/prepare.h"
#include "analyzer/text/text_buffer.h"

namespace gprofhub::analyzer {

// Entries in the order of `places`.
void PrintGraphListing(const ListingInput& input, const ListingOptions& options,
                       const std::vector<uint32_t>& places, TextSink sink);

}  // namespace gprofhub::analyzer
