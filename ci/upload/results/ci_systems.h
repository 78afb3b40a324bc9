// Reads the job's description from the environment variables of common CI systems.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "proto/collector.pb.h"

namespace gprofhub::ci {

// Queries the user's git, through the installed `git` program.

// Runs `git` with these arguments and returns its standard output. NOT_FOUND if git answers "no":
// it exits with 1 and without a message, as for an unknown revision or a detached head. Every other
// error is a failure, with git's own sentence and the remedy.
using GitCommand = std::function<absl::StatusOr<std::string>(const std::vector<std::string>&)>;

// Handling of the output: text, or the bytes of a file.
enum class GitOutput { kWithoutTrailingSpace, kAsItIs };

// Runs git in `workspace`, without a shell. FAILED_PRECONDITION if git fails or is not installed,
// UNAVAILABLE if it does not finish within `longest`: the repository may be on a hanging file
// system, or fetch missing objects from a remote.
GitCommand GitIn(std::string workspace, absl::Duration longest = absl::InfiniteDuration(),
                 GitOutput output = GitOutput::kWithoutTrailingSpace);

// The commit of the work tree.
struct CheckedOut {
  std::string commit;                // full hash
  std::vector<std::string> parents;  // full hashes; of a shallow clone, too

  // The other parent of a merge of two commits, one of which is `parent`; nullopt otherwise.
  std::optional<std::string> OtherParent(const std::string& parent) const;
};

absl::StatusOr<CheckedOut> ReadCheckedOut(const GitCommand& git);

// `text` without the user names and passwords of its URLs.
std::string WithoutCredentials(const std::string& text);

// Sources of facts about a run, apart from the command line.

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

// This process's environment, the repository in `workspace`, and this machine's files.
RunSources LocalSources(std::string workspace);

// Empty strings for facts that the CI system does not provide.
struct CiJob {
  std::string system;
  v1::RunInfo run;  // the commit is the tested one: a pull request's head
  // The commit is whatever the CI system checked out, which may be a merge that only this clone
  // has.
  bool commit_is_checked_out = false;
  std::string target_branch;
  std::string job_key;
  std::vector<std::string> warnings;
};

// A title, a subject or a name of a person, printable and within the server's limit of 500 bytes.
std::string ShortText(absl::string_view text);

// The CI system detected from the environment; nullopt if none.
std::optional<CiJob> ReadCiJob(const RunSources& sources);

// Whether ReadCiJob reads this variable. Exact names, no prefixes: GITHUB_TOKEN is a secret.
bool IsCiVariable(absl::string_view name);

}  // namespace gprofhub::ci
