// The statistical error of sampled times.
#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"
#include "analyzer/text/text_buffer.h"

namespace gprofhub::analyzer {

// Width of a column of expected errors, with the space before it.
constexpr int kErrorWidth = 9;

extern const absl::string_view kErrorExplanation;

// Appends " +-ERROR", kErrorWidth wide: the expected error of a time of n samples is the square
// root of n samples. `scale` is the value of a sample in the column's unit.
void AppendExpectedError(double samples, double scale, TextBuffer& out);

}  // namespace gprofhub::analyzer
