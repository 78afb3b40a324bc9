// Another program, run to its end.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gprofhub::cli {

// Runs words[0], found in PATH, in `folder`, without a shell, with its output in `log_file`.
// Returns its exit code. NOT_FOUND if it cannot be started, CANCELLED if a signal ended it.
absl::StatusOr<int> RunProgram(const std::vector<std::string>& words, const std::string& folder,
                               const std::string& log_file);

}  // namespace gprofhub::cli
