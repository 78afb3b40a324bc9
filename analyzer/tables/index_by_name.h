// The index by name that ends the call graph.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/listing/input.h"
#include "analyzer/listing/options.h"
#include "analyzer/text/text_buffer.h"

namespace gprofhub::analyzer {

// Every function of the flat profile and every cycle, with its place in the
// graph, in column-major order. `index_numbers` are IndexNumbers.
void PrintNameIndex(const ListingInput& input, const ListingOptions& options,
                    const std::vector<uint32_t>& index_numbers, TextSink sink);

}  // namespace gprofhub::analyzer
