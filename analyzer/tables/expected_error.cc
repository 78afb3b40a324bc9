#include "analyzer/tables/expected_error.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"

namespace gprofhub::analyzer {

const absl::string_view kErrorExplanation =
    "error: how far chance is expected to move the time on its left: the square root\n"
    "       of its samples. That calls may cost more from one caller than from\n"
    "       another is no part of it.\n\n";

void AppendExpectedError(double samples, double scale, TextBuffer& out) {
  const double error = scale * std::sqrt(std::max(samples, 0.0));
  out.Append(absl::StrFormat("%*s", kErrorWidth, absl::StrFormat(" +-%.2f", error)));
}

}  // namespace gprofhub::analyzer
