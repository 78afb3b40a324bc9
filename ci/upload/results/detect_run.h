// Which commit, branch, pull request and CI job an upload belongs to: from
// flags, else the CI system's environment, else git itself.
#pragma once

#include <string>
#include <vector>

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
  std::string target_branch;  // the branch the change is to go into
  std::string pull_request;
  std::string ci_link;
  std::string configuration;
  std::string machine;
  bool from_fork = false;
};

struct DetectedRun {
  // run_key and configuration are left as the flags have them, started_unix_ms
  // is left 0: the build events know them.
  v1::RunInfo info;
  std::string ci_system;  // "GitHub Actions", …; empty outside of CI
  // The CI job's own name for itself, for runs without a Bazel invocation id;
  // empty outside of CI.
  std::string ci_job_key;
  std::vector<std::string> warnings;  // for a person, what to do included
};

// FAILED_PRECONDITION if no commit is found, INVALID_ARGUMENT for an invalid flag.
absl::StatusOr<DetectedRun> DetectRun(const RunFlags& flags, const RunSources& sources);

// Kind of this machine: times are comparable only within one kind.

// "AMD EPYC 7763 64-Core Processor, 2 processors", of the content of Linux's /proc/cpuinfo:
// its model name, or on Arm, where there is none, implementer and part. At most 200 bytes;
// empty if it names neither.
std::string MachineKind(absl::string_view cpuinfo);

}  // namespace gprofhub::ci
