// `gprofhub bisect-judge`: judges one commit, for `git bisect run`.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

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
