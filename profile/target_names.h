// Names of targets: the tests, and parts of tests that are measured separately, such as each case
// of a benchmark (bazel/benchmark.bzl).
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::profile {

// "//db:bench#BM_Insert/8"; the label if `part` is empty. A '#' of the label itself is doubled.
std::string TargetOf(absl::string_view label, absl::string_view part);

// The label in such a target, which Bazel knows; and the part, or "".
std::string TestOf(absl::string_view target);
std::string PartOf(absl::string_view target);

}  // namespace gprofhub::profile
