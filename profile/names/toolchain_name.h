// What a compiler says of itself, as one short line that two builds can be compared by.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// "gcc 12.2.0 -O2 -march=x86-64" of DW_AT_producer or of a string of .comment: compiler, version,
// and the options that may change the code, sorted, each in its last form. Where options are
// recorded at all, there is one of -O. Options about diagnostics, debug information, profiling and
// paths are left out, and so are paths. Printable ASCII, at most 300 bytes. Empty: it says nothing.
std::string ToolchainName(absl::string_view producer);

}  // namespace gprofhub::profile
