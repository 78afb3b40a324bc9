// Finds outputs of tests in Bazel's folders on this machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ci/upload/results/test_events.h"

namespace gprofhub::ci {

// Looks on this machine for the outputs that the events place in a remote cache: Bazel names the
// cache even if it has downloaded them. Searches the folders below `workspace` to which Bazel's
// links bazel-out and bazel-testlogs lead, and takes a file only if it has the size and the SHA-256
// digest of the event's URI. What is found moves from `remote_outputs` to `outputs`, and from
// `remote_output_files` to `output_files`; the test's program and symbol bundle are added if the
// events name none here.
void FindOutputsHere(const std::string& workspace, std::vector<TestAttempt>& attempts);

// Finds test executions in a plain bazel-testlogs tree, where no build event
// file was kept.

struct TestLogs {
  std::vector<TestAttempt> attempts;  // in ascending order of label, run, shard, attempt
  std::vector<std::string> notes;     // skipped folders, and why
};

// Searches `folder` (a bazel-testlogs link or a copy of one) for the outputs of tests; a test
// without undeclared outputs is not found. The tree has neither cache status nor test status
// ("NO_STATUS").
//
// Bazel keeps the folders of earlier invocations with other --runs_per_test, shards or versions of
// Bazel: of each test only the newest layout is used.
absl::StatusOr<TestLogs> FindInTestLogs(const std::string& folder);

// Modification times of files.

// Unix time in milliseconds; 0 if unknown.
int64_t WrittenUnixMs(const std::string& path);

// Whether the file was written after the attempt's build had ended, so that it belongs to another
// build.
bool IsOfLaterBuild(const TestAttempt& attempt, const std::string& path);

}  // namespace gprofhub::ci
