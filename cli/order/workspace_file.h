// Files of a Bazel workspace.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::cli {

// The path of "//path:file" in the workspace that contains the folder `start`. INVALID_ARGUMENT:
// `label` does not have this form. NOT_FOUND: the folder is not in a workspace.
absl::StatusOr<std::string> PathOfLabel(absl::string_view label, const std::string& start);

// The folder in which `bazel run` was started, else the working directory.
std::string StartFolder();

}  // namespace gprofhub::cli
