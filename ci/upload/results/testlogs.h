// Finds test executions in a plain bazel-testlogs tree, where no build event
// file was kept.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ci/upload/results/test_attempt.h"

namespace gprofhub::ci {

struct TestLogs {
  std::vector<TestAttempt> attempts;  // in ascending order of label, run, shard, attempt
  std::vector<std::string> notes;     // skipped folders, and why
};

// Searches `folder` (a bazel-testlogs link or a copy of one) for the outputs of tests; a test
// without undeclared outputs is not found. The tree has neither cache status nor test status
// ("NO_STATUS").
//
// Bazel keeps the folders of earlier invocations with other --runs_per_test or shards: of each test
// only the newest layout is used.
absl::StatusOr<TestLogs> FindInTestLogs(const std::string& folder);

}  // namespace gprofhub::ci
