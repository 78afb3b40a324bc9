// Sources of facts about a run, apart from the command line.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "ci/upload/run/git.h"

namespace gprofhub::ci {

// Variables of a process's environment.
using Environment = std::map<std::string, std::string>;

// The environment of this process.
Environment ProcessEnvironment();

struct RunSources {
  Environment environment;
  GitCommand git;
  // Content of a file, such as GitHub's event description.
  std::function<absl::StatusOr<std::string>(const std::string& path)> read_file;
};

}  // namespace gprofhub::ci
