// Reduces a build event to the fields that are kept. Bazel sends much that is not needed, and some
// that must not be kept: the environment with its secrets, the text of its output.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/build_events.pb.h"

namespace gprofhub::collector {

// The event in `bytes` reduced to the kept fields; nullopt if it has none. Kept are: when
// the build began and ended, configurations, which tests there are, their results and summaries
// with the places of undeclared outputs, files of symbol bundles (*.gprofhub-symbols), and what
// names the commit: GPROFHUB_* of --build_metadata and of the workspace status, and the CI system's
// variables in --client_env (IsVariableOfCi). INVALID_ARGUMENT and RESOURCE_EXHAUSTED as
// ParseBounded.
absl::StatusOr<std::optional<build_events::BuildEvent>> KeptEvent(absl::string_view bytes);

// Whether a CI system uses this environment variable to describe the commit that it builds.
bool IsVariableOfCi(absl::string_view name);

}  // namespace gprofhub::collector
