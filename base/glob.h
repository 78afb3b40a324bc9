// Patterns of names: of targets, functions and files.
#pragma once

#include "absl/strings/string_view.h"

namespace gprofhub::base {

// Whether the whole `text` matches the shell pattern (fnmatch(3), POSIX.1-2017 XCU 2.13 without its
// special case for '/'): '*' matches any bytes, '?' one byte, "[…]" one byte of a set, and a
// backslash quotes the next byte. A name also matches itself literally: "operator[]" or
// "name[abi:cxx11]" need no backslash.
bool GlobMatches(absl::string_view pattern, absl::string_view text);

}  // namespace gprofhub::base
