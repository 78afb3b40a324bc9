// Fixed texts of the listings, as GNU gprof prints them.
#pragma once

#include "absl/strings/string_view.h"

namespace gprofhub::analyzer {

// Explains the columns of the flat profile; printed after the table.
extern const absl::string_view kFlatExplanation;

// Explains the columns of the call graph; printed after the table.
extern const absl::string_view kGraphExplanation;

// Explains the columns of the BSD style's call graph; printed before it, title included.
extern const absl::string_view kTraditionalGraphExplanation;

}  // namespace gprofhub::analyzer
