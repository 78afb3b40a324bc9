// Detects source files of tests.
#pragma once

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// Whether the code at `file` is a test's own, by naming conventions of test files and directories.
bool IsTestFile(absl::string_view file);

}  // namespace gprofhub::reporter
