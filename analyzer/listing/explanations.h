// Fixed texts of the listings, as GNU gprof prints them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "analyzer/listing/rows.h"
#include "analyzer/listing/text_buffer.h"

namespace gprofhub::analyzer {

// The statistical error of sampled times.

// Width of a column of expected errors, with the space before it.
constexpr int kErrorWidth = 9;

extern const absl::string_view kErrorExplanation;

// Appends " +-ERROR", kErrorWidth wide: the expected error of a time of n samples is the square
// root of n samples. `scale` is the value of a sample in the column's unit.
void AppendExpectedError(double samples, double scale, TextBuffer& out);

// Explains the columns of the flat profile; printed after the table.
extern const absl::string_view kFlatExplanation;

// Explains the columns of the call graph; printed after the table.
extern const absl::string_view kGraphExplanation;

// Explains the columns of the BSD style's call graph; printed before it, title included.
extern const absl::string_view kTraditionalGraphExplanation;

// The index numbers of the call graph: the place of each entry, which is printed next to every
// function's name.

// By node, from 1. Entries are sorted by falling total time; then cycles before functions, names
// that begin with '_' last, then by falling calls and by name.
std::vector<uint32_t> IndexNumbers(const ListingInput& input);

// " <cycle n> [number]". The number is in parentheses if the node has no entry.
void AppendIndexNumber(const ListingInput& input, const std::vector<uint32_t>& index_numbers,
                       uint32_t node, TextBuffer& out);

}  // namespace gprofhub::analyzer
