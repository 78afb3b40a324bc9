// Shortens names to fit a table's cell or a line, keeping the most useful parts.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// A demangled name (UTF-8) for people, at most `max_characters` characters (0 counts as 1).
// Standard types get their common names without default arguments: `std::string`, `std::map<int,
// Row>`. If the name is still too long, these are removed in turn until it fits: the return type,
// parameters ("(...)"), template arguments of the enclosing scope ("<...>"), the function's own,
// the enclosing scope ("…::"), the end of its own name ("…"). So the beginning of the function's
// own name is always kept. Text that is not such a name, for example with unbalanced brackets, is
// cut in the middle.
std::string ShortName(absl::string_view display, size_t max_characters);

}  // namespace gprofhub::profile
