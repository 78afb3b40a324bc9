// The flat profile: every function with its own time and calls.
#pragma once

#include <string>

#include "analyzer/listing_input.h"

namespace gprofhub {

// Rows by falling own time, then calls, then name.
std::string PrintFlatListing(const ListingInput& input, const ListingOptions& options);

}  // namespace gprofhub
