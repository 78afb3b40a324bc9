// `gprofhub bisect-judge`: the word of one commit, for `git bisect run`.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

inline constexpr char kJudgeCommand[] = "bisect-judge";

// What `git bisect run` takes the exit codes for. Everything else up to 127 is "bad" to it, so
// errors, also of the command line, must be above.
enum JudgeExitCode : int {
  kJudgedOld = 0,
  kJudgedNew = 1,
  kJudgedSkip = 125,
  kJudgeAbort = 128,
};

// Declares the subcommand; when it is chosen, `run` becomes what it does.
void AddBisectJudgeCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
