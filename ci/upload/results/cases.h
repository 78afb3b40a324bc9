// Parts of a test that are measured separately, such as each case of a benchmark
// (bazel/benchmark.bzl). A part leaves its profiles in a folder of its own among the test's
// outputs, gprofhub.cases/<name, percent-encoded>, and is a target of its own: <label>#<name>.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::ci {

// The part that wrote a profile of this name, relative to the outputs: "BM_Insert/8" for
// "gprofhub.cases/BM_Insert%2F8/bench.12.gprofhub". Empty: the test itself.
std::string CaseOf(absl::string_view profile_name);

// "//db:bench#BM_Insert/8"; the label if `part` is empty.
std::string TargetOf(absl::string_view label, absl::string_view part);

// The label in such a target, which Bazel knows; and the part, or "".
std::string TestOf(absl::string_view target);
std::string PartOf(absl::string_view target);

}  // namespace gprofhub::ci
