// What the usual CI systems say in their environment about the job they run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ci/upload/run/run_sources.h"

namespace gprofhub::ci {

// Empty strings where the CI system does not say.
struct CiJob {
  std::string system;
  std::string commit;  // full hash of what is judged: a pull request's head
  std::string branch;
  std::string target_branch;
  std::string base_commit;  // merge base, where the CI system knows it
  std::string pull_request;
  std::string link;
  std::string job_key;
  bool from_fork = false;
  std::vector<std::string> warnings;
};

// The CI system whose marks are in the environment, or nothing.
std::optional<CiJob> ReadCiJob(const RunSources& sources);

}  // namespace gprofhub::ci
