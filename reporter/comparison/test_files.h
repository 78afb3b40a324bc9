// Which source files hold tests.
#pragma once

#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// Whether the code at `file` is a test's own, by how files and folders of tests are named.
bool IsTestFile(absl::string_view file);

}  // namespace gprofhub::reporter
