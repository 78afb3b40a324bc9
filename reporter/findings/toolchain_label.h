// One-line description of a toolchain change.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// "gcc 12.2.0 -O2 → clang 14.0.6 -O2": both compilers with their -O; for one compiler and version,
// also the options that only one side has. Names as in profile/names/toolchain_name.h.
std::string ToolchainLabel(absl::string_view before, absl::string_view after);

}  // namespace gprofhub::reporter
