// Reads the tests of one invocation from Bazel's build event file.
// Source: proto/build_events.proto.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ci/upload/results/test_attempt.h"

namespace gprofhub::ci {

struct BuildLog {
  std::string invocation_id;
  int64_t started_unix_ms = 0;
  std::string command;                // "test", "coverage", …
  std::string workspace_directory;    // absolute
  std::vector<TestAttempt> attempts;  // in the order in which they ended
};

// Parses `bytes`, the content of a --build_event_binary_file. `file_name` is for messages.
// INVALID_ARGUMENT with the offset if the bytes are not build events; FAILED_PRECONDITION if the
// build did not end (yet), so that the events are incomplete.
absl::StatusOr<BuildLog> ParseBuildEvents(absl::string_view bytes, absl::string_view file_name);

}  // namespace gprofhub::ci
