// Detects the commit, branch, pull request and CI job of an upload: from flags, else the CI
// system's environment, else git.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ci/upload/results/ci_systems.h"
#include "proto/collector.pb.h"

namespace gprofhub::ci {

// Values of the command line; an empty or absent value is detected.
struct RunFlags {
  v1::RunInfo info;           // the commits are anything git can resolve, or full hashes
  std::string target_branch;  // the branch that the change targets
};

struct DetectedRun {
  // run_key and configuration are those of the flags, and started_unix_ms is 0: the build events
  // have them.
  v1::RunInfo info;
  std::string ci_system;  // "GitHub Actions", …; empty outside of CI
  // The CI job's identifier, for runs without a Bazel invocation id; empty outside of CI.
  std::string ci_job_key;
  std::vector<std::string> warnings;  // messages to the user, with the remedy
};

// The run of what was built: where the CI system's variables and the work tree disagree, the work
// tree counts. FAILED_PRECONDITION if no commit is found, or a pull request's job built neither its
// head nor a merge of it; INVALID_ARGUMENT for an invalid flag.
absl::StatusOr<DetectedRun> DetectRun(const RunFlags& flags, const RunSources& sources);

// The run for Bazel's --workspace_status_command: lines such as "GPROFHUB_COMMIT 3fa41c2…". The
// keys are the fields of v1.RunInfo that are known, in capital letters; only COMMIT_TIME, in
// seconds, is commit_unix_ms. Build events have project, run_key, configuration and
// started_unix_ms.
std::string WorkspaceStatus(const v1::RunInfo& run);

// Adds the values of such keys to `run`: the named texts replace those of `run`. `value_of` gets a
// key without the prefix, and returns an empty string for an absent one. INVALID_ARGUMENT that
// names the key.
absl::Status ReadWorkspaceStatus(const std::function<std::string(const std::string& key)>& value_of,
                                 v1::RunInfo& run);

// The line for a build whose run cannot be detected. The collector refuses the run with this reason
// unless --build_metadata names the commit: it must not take the commit from CI variables that the
// work tree contradicts.
std::string NoCommitStatus(const absl::Status& reason);

// Kind of this machine: times are comparable only within one kind.

// "AMD EPYC 7763 64-Core Processor, 2 processors", from the content of Linux's /proc/cpuinfo: its
// model name, or implementer and part on Arm, which has no model name. At most 200 bytes; empty if
// it has neither.
std::string MachineKind(absl::string_view cpuinfo);

}  // namespace gprofhub::ci
