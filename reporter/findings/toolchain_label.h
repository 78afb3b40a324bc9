// What is said of a toolchain that took another's place, in one short line.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// "gcc 12.2.0 -O2 → clang 14.0.6 -O2": both compilers with their -O, and, of one compiler and
// version, the options that only one side has. Names as profile/names/toolchain_name.h makes them.
std::string ToolchainLabel(absl::string_view before, absl::string_view after);

}  // namespace gprofhub::reporter
