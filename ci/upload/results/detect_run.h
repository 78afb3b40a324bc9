// Detects the commit, branch, pull request and CI job of an upload: from flags, else the CI
// system's environment, else git.
#pragma once

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
  std::string project;
  std::string run_key;
  std::string commit;  // anything git can resolve, or a full hash
  std::string branch;
  std::string base_commit;
  std::string target_branch;  // the branch that the change targets
  std::string pull_request;
  std::string ci_link;
  std::string configuration;
  std::string machine;
  bool from_fork = false;
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

// The run for Bazel's --workspace_status_command: lines such as "GPROFHUB_COMMIT 3fa41c2…", the
// fields that are known in capital letters. The collector reads them (collector/bes/invocation.cc).
std::string WorkspaceStatus(const v1::RunInfo& run);

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
