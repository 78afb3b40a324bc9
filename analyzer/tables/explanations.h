// Fixed texts of the listings, as GNU gprof prints them.
#pragma once

#include "absl/strings/string_view.h"

namespace gprofhub::analyzer {

// What the columns of the flat profile mean; follows the table.
extern const absl::string_view kFlatExplanation;

// What the columns of the call graph mean; follows the table.
extern const absl::string_view kGraphExplanation;

// The same of the BSD style's call graph; comes before it, title included.
extern const absl::string_view kTraditionalGraphExplanation;

}  // namespace gprofhub::analyzer
