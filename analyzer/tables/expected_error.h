// How far chance can move a sampled time.
#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"
#include "analyzer/text/text_buffer.h"

namespace gprofhub::analyzer {

// Of a column of expected errors, with the space before it.
constexpr int kErrorWidth = 9;

extern const absl::string_view kErrorExplanation;

// Appends " +-ERROR", kErrorWidth wide: a time of n samples is expected to be off by
// the square root of n samples, one way or the other. `scale` is what a sample
// counts in the column's unit.
void AppendExpectedError(double samples, double scale, TextBuffer& out);

}  // namespace gprofhub::analyzer
