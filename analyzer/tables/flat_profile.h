// The flat profile: every function with its self time and calls.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/listing/input.h"
#include "analyzer/listing/options.h"
#include "analyzer/text/text_buffer.h"

namespace gprofhub::analyzer {

// The rows to print, by falling self time, then calls, then name.
std::vector<uint32_t> RowsOfFlatListing(const ListingInput& input, const ListingOptions& options);

// `rows` are RowsOfFlatListing; `index_numbers`, for the traditional style only, each node's place
// in the call graph.
void PrintFlatListing(const ListingInput& input, const ListingOptions& options,
                      const std::vector<uint32_t>& rows, const std::vector<uint32_t>& index_numbers,
                      TextSink sink);

}  // namespace gprofhub::analyzer
