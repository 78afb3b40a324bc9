// The call graph listing: an entry per function and per cycle with its callers
// above and its callees below, and the index by name.
#pragma once

#include <string>

#include "analyzer/listing_input.h"

namespace gprofhub {

// Entries by falling time (own and inherited).
std::string PrintGraphListing(const ListingInput& input, const ListingOptions& options);

}  // namespace gprofhub
