// Files that a command writes.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::cli {

// Writes `bytes` to the file. FAILED_PRECONDITION, with the path and the reason, if it cannot be
// written; then the file may contain a part of it.
absl::Status WriteFile(const std::string& path, absl::string_view bytes);

}  // namespace gprofhub::cli
