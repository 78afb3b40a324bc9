// Files of a Bazel workspace.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::cli {

// The path of "//path:file" in the workspace that the folder `start` is in. INVALID_ARGUMENT:
// `label` is no such label. NOT_FOUND: the folder is in no workspace.
absl::StatusOr<std::string> PathOfLabel(absl::string_view label, const std::string& start);

// The folder that `bazel run` was started in, else this one.
std::string StartFolder();

}  // namespace gprofhub::cli
