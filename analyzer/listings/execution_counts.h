// How often each function, and each basic block, was executed.
#pragma once

#include <string>

#include "analyzer/listing_input.h"
#include "analyzer/listings/block_counts.h"

namespace gprofhub {

// A line for each function that was called and each block that was executed, by
// file and line.
std::string PrintExecutionCounts(const ListingInput& input, const ListingOptions& options,
                                 const BlockCounts& blocks);

}  // namespace gprofhub
