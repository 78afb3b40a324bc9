// Reads the job's description from the environment variables of common CI systems.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace gprofhub::ci {

// Questions to the user's git, through the installed `git` program.

// Runs `git` with these arguments and gives its standard output. Errors carry git's first line of
// standard error.
using GitCommand = std::function<absl::StatusOr<std::string>(const std::vector<std::string>&)>;

// An answer, or the bytes of a file.
enum class GitOutput { kWithoutTrailingSpace, kAsItIs };

// Runs git in `workspace`, without a shell. NOT_FOUND if no git is installed,
// FAILED_PRECONDITION if git fails, UNAVAILABLE if it does not finish within `longest`: the
// repository may be on a hanging file system, or fetch missing objects from a remote.
GitCommand GitIn(std::string workspace, absl::Duration longest = absl::InfiniteDuration(),
                 GitOutput output = GitOutput::kWithoutTrailingSpace);

// `text` with the user name and password of every URL in it taken out.
std::string WithoutCredentials(const std::string& text);

// Where facts about a run come from, apart from the command line.

// Variables of a process's environment.
using Environment = std::map<std::string, std::string>;

// This process's own.
Environment ProcessEnvironment();

struct RunSources {
  Environment environment;
  GitCommand git;
  // Content of a file, such as GitHub's event description.
  std::function<absl::StatusOr<std::string>(const std::string& path)> read_file;
};

// Empty strings for facts that the CI system does not provide.
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

// The CI system detected from the environment; nullopt if none.
std::optional<CiJob> ReadCiJob(const RunSources& sources);

}  // namespace gprofhub::ci
