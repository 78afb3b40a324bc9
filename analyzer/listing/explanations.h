// Fixed texts of the listings, as GNU gprof prints them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "analyzer/listing/rows.h"
#include "analyzer/listing/text_buffer.h"

namespace gprofhub::analyzer {

// How far chance can move a sampled time.

// Of a column of expected errors, with the space before it.
constexpr int kErrorWidth = 9;

extern const absl::string_view kErrorExplanation;

// Appends " +-ERROR", kErrorWidth wide: a time of n samples is expected to be off by
// the square root of n samples, one way or the other. `scale` is what a sample
// counts in the column's unit.
void AppendExpectedError(double samples, double scale, TextBuffer& out);

// What the columns of the flat profile mean; follows the table.
extern const absl::string_view kFlatExplanation;

// What the columns of the call graph mean; follows the table.
extern const absl::string_view kGraphExplanation;

// The same of the BSD style's call graph; comes before it, title included.
extern const absl::string_view kTraditionalGraphExplanation;

// The index numbers of the call graph: the place of each entry, which is printed beside
// every function's name.

// By node, from 1. Entries come by falling time with callees; then cycles before functions,
// names that begin with '_' last, then by falling calls and by name.
std::vector<uint32_t> IndexNumbers(const ListingInput& input);

// " <cycle n> [number]". The number is in parentheses if the node has no entry.
void AppendIndexNumber(const ListingInput& input, const std::vector<uint32_t>& index_numbers,
                       uint32_t node, TextBuffer& out);

}  // namespace gprofhub::analyzer
