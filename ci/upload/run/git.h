// Queries the user's git, through the installed `git` program.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace gprofhub::ci {

// Runs `git` with these arguments and returns its standard output. Errors contain git's first line
// of standard error.
using GitCommand = std::function<absl::StatusOr<std::string>(const std::vector<std::string>&)>;

// Handling of the output: text, or the bytes of a file.
enum class GitOutput { kWithoutTrailingSpace, kAsItIs };

// Runs git in `workspace`, without a shell. NOT_FOUND if no git is installed,
// FAILED_PRECONDITION if git fails, UNAVAILABLE if it does not finish within `longest`: the
// repository may be on a hanging file system, or fetch missing objects from a remote.
GitCommand GitIn(std::string workspace, absl::Duration longest = absl::InfiniteDuration(),
                 GitOutput output = GitOutput::kWithoutTrailingSpace);

// `text` without the user names and passwords of its URLs.
std::string WithoutCredentials(const std::string& text);

}  // namespace gprofhub::ci
