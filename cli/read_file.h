#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace gprofhub {

// The bytes of a file that the user named; NOT_FOUND if it cannot be read.
absl::StatusOr<std::string> ReadFile(const std::string& path);

}  // namespace gprofhub
