// A secret from its file: every user of the machine could read a command line.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace gprofhub::cli {

// The file's text without the blanks around it. NOT_FOUND if it is empty; else ReadFile's errors.
absl::StatusOr<std::string> ReadSecret(const std::string& path);

}  // namespace gprofhub::cli
