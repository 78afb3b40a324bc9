// The call graph: every function with its callers and callees.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/listing/input.h"
#include "analyzer/listing/options.h"
#include "analyzer/text/text_buffer.h"

namespace gprofhub::analyzer {

// Entries in the order of `index_numbers`.
void PrintGraphListing(const ListingInput& input, const ListingOptions& options,
                       const std::vector<uint32_t>& index_numbers, TextSink sink);

}  // namespace gprofhub::analyzer
