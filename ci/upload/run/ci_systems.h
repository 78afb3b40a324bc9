// Reads the job's description from the environment variables of common CI systems.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ci/upload/run/run_sources.h"

namespace gprofhub::ci {

// Empty strings for facts that the CI system does not provide.
struct CiJob {
  std::string system;
  std::string commit;  // full hash of the tested commit: a pull request's head
  std::string branch;
  std::string target_branch;
  std::string base_commit;  // merge base, if the CI system provides it
  std::string pull_request;
  std::string link;
  std::string job_key;
  bool from_fork = false;
  std::vector<std::string> warnings;
};

// The CI system detected from the environment; nullopt if none.
std::optional<CiJob> ReadCiJob(const RunSources& sources);

}  // namespace gprofhub::ci
