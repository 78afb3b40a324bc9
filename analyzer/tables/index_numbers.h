// The index numbers of the call graph: the place of each entry, which is printed next to every
// function's name.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/listing/input.h"
#include "analyzer/text/text_buffer.h"

namespace gprofhub::analyzer {

// By node, from 1. Entries are sorted by falling total time; then cycles before functions, names
// that begin with '_' last, then by falling calls and by name.
std::vector<uint32_t> IndexNumbers(const ListingInput& input);

// " <cycle n> [number]". The number is in parentheses if the node has no entry.
void AppendIndexNumber(const ListingInput& input, const std::vector<uint32_t>& index_numbers,
                       uint32_t node, TextBuffer& out);

}  // namespace gprofhub::analyzer
