// Display of function names.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// A demangled name in base::Printable's form, of at most 120 characters. Names of more than 80
// characters are shortened (profile::ShortName).
std::string FunctionName(absl::string_view display);

// The same as a code span of Markdown (MarkdownCode).
std::string FunctionCode(absl::string_view display, bool in_table);

}  // namespace gprofhub::reporter
