// Names that fit a table's cell or a line and keep what a reader looks for.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// A demangled name (UTF-8) for people, at most `max_characters` characters (0 counts as 1).
// Standard types have their everyday names and no default arguments: `std::string`,
// `std::map<int, Row>`. What is still too long loses, one after the other, until it fits:
// the return type, parameters ("(...)"), template arguments of what encloses the function
// ("<...>"), its own, what encloses it ("…::"), the end of its own name ("…"). So the
// beginning of the function's own name is always there. Text that is no such name, as by
// brackets without a partner, is cut in the middle.
std::string ShortName(absl::string_view display, size_t max_characters);

}  // namespace gprofhub::profile
