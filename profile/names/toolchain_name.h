// A compiler's identification as one short line, to compare two builds.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// "gcc 12.2.0 -O2 -march=x86-64" from DW_AT_producer or a string of .comment: compiler, version,
// and the options that may change the code, sorted, each in its last form. If options are recorded
// at all, one is -O. Options about diagnostics, debug information and profiling are left out, and
// so are paths. Printable ASCII, at most 300 bytes. Empty: unknown.
std::string ToolchainName(absl::string_view producer);

}  // namespace gprofhub::profile
