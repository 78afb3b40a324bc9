// Where in the call graph's listing the entry of a function stands.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/listing/input.h"
#include "analyzer/text/text_buffer.h"

namespace gprofhub::analyzer {

// Each node's number in the call graph, from 1: by falling time with callees,
// cycles before functions, names with '_' last, then by calls and name.
std::vector<uint32_t> IndexNumbers(const ListingInput& input);

// " <cycle n> [place]", the place in parentheses if the node has no entry.
void AppendIndexNumber(const ListingInput& input, const std::vector<uint32_t>& index_numbers,
                       uint32_t node, TextBuffer& out);

}  // namespace gprofhub::analyzer
