// `gprofhub bisect`: the commit that changed a count.
#pragma once

#include <optional>
#include <string>

#include "cli/bisect/result_text.h"
#include "cli/command/command.h"
#include "proto/query.pb.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Registers the subcommand; choosing it sets `run` to its action.
void AddBisectCommand(CLI::App& app, CommandMain& run);

// The default folder of a session: in the user's cache, named after the workspace.
std::string DefaultBisectFolder(const std::string& workspace);

// The request that records the result of a bisection at the server.

// nullopt unless a single commit is found. `range` has the full hashes of the requested range.
// Texts are truncated to the server's limits.
std::optional<v1::RecordCulpritRequest> CulpritRequest(const BisectReport& report,
                                                       const Range& range);

// `gprofhub bisect-judge`: judges one commit, for `git bisect run`.

inline constexpr char kJudgeCommand[] = "bisect-judge";

// Meaning of exit codes to `git bisect run`. Everything else up to 127 is "bad" to it, so errors,
// also of the command line, must be above.
enum JudgeExitCode : int {
  kJudgedOld = 0,
  kJudgedNew = 1,
  kJudgedSkip = 125,
  kJudgeAbort = 128,
};

// Registers the subcommand; choosing it sets `run` to its action.
void AddBisectJudgeCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
