// The subcommands of `gprofhub` that have no package of their own. Each function registers one;
// choosing it sets `run` to its action.
#pragma once

#include <string>
#include <vector>

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// `gprofhub ack`: acknowledges a change.

// Registers the subcommand; choosing it sets `run` to its action.
void AddAckCommand(CLI::App& app, CommandMain& run);

// `gprofhub bazel-status`: the build for Bazel's --workspace_status_command (bazel/status.sh).

void AddBazelStatusCommand(CLI::App& app, CommandMain& run);

// `gprofhub changes`: where a history changed for good.

// Registers the subcommand; choosing it sets `run` to its action.
void AddChangesCommand(CLI::App& app, CommandMain& run);

// `gprofhub check`: whether a run passes the repository's gate.

// Registers the subcommand; choosing it sets `run` to its action.
void AddCheckCommand(CLI::App& app, CommandMain& run);

// `gprofhub completion SHELL`: the script that completes words in a shell, by asking the program.

void AddCompletionCommand(CLI::App& app, CommandMain& run);

// The first argument by which that script asks.
inline constexpr char kCompleteArgument[] = "__complete";

// Prints the words that may follow: a line "WORD<TAB>DESCRIPTION" for each. `words` are those after
// the program's name, up to the cursor; the last one, which may be empty, is completed. Asks the
// server of the command line for runs, targets and functions, and gives up after a second.
int PrintCompletions(const CLI::App& app, const std::vector<std::string>& words);

// `gprofhub credential-helper`: the token for Bazel's --credential_helper
// (bazel/credential_helper.sh).

void AddCredentialHelperCommand(CLI::App& app, CommandMain& run);

// `gprofhub diff`: two runs, or two local folders, against each other.

// Registers the subcommand; choosing it sets `run` to its action.
void AddDiffCommand(CLI::App& app, CommandMain& run);

// `gprofhub gmon RECORDING… --output-dir DIR`: gmon.out files for GNU gprof.

void AddGmonCommand(CLI::App& app, CommandMain& run);

// `gprofhub info RECORDING…`: contents and origin of a recording.

void AddInfoCommand(CLI::App& app, CommandMain& run);

// `gprofhub listing`: what gprof prints of one target in a run.

// Registers the subcommand; choosing it sets `run` to its action.
void AddListingCommand(CLI::App& app, CommandMain& run);

// `gprofhub mcp`: the Model Context Protocol on standard input and output.

// Registers the subcommand; choosing it sets `run` to its action.
void AddMcpCommand(CLI::App& app, CommandMain& run);

// `gprofhub open`: the page of a run's comparison.

void AddOpenCommand(CLI::App& app, CommandMain& run);

// `gprofhub report`: a run against its baseline.

// Registers the subcommand; choosing it sets `run` to its action.
void AddReportCommand(CLI::App& app, CommandMain& run);

// `gprofhub runs`: lists runs and the state of their analyses.

// Registers the subcommand; choosing it sets `run` to its action.
void AddRunsCommand(CLI::App& app, CommandMain& run);

// `gprofhub stats`: how often the gate was wrong.

// Registers the subcommand; choosing it sets `run` to its action.
void AddStatsCommand(CLI::App& app, CommandMain& run);

// `gprofhub token`: makes, lists and revokes the tokens of projects.

// Registers the subcommand; choosing it sets `run` to its action.
void AddTokenCommand(CLI::App& app, CommandMain& run);

// `gprofhub trend`: one function over the runs.

// Registers the subcommand; choosing it sets `run` to its action.
void AddTrendCommand(CLI::App& app, CommandMain& run);

// `gprofhub upload`: sends the profiles of a `bazel test --config=gprof` to a
// server.

// Registers the subcommand; choosing it sets `run` to its action.
void AddUploadCommand(CLI::App& app, CommandMain& run);

// `gprofhub explain`: the call paths that lead to a finding.

// Registers the subcommand; choosing it sets `run` to its action.
void AddExplainCommand(CLI::App& app, CommandMain& run);

// `gprofhub get`: a finding as data.

// Registers the subcommand; choosing it sets `run` to its action.
void AddGetCommand(CLI::App& app, CommandMain& run);

// `gprofhub health`: whether a server serves, for containers' liveness probes and for scripts.

void AddHealthCommand(CLI::App& app, CommandMain& run);

// `gprofhub live PID VERB`: steers the profiling of a program that runs.

void AddLiveCommand(CLI::App& app, CommandMain& run);

// `gprofhub window`: the part of a recording between two of its marks.

void AddWindowCommand(CLI::App& app, CommandMain& run);

// `gprofhub rerun-list`: the tests to run again for a conclusive report.

// Registers the subcommand; choosing it sets `run` to its action.
void AddRerunListCommand(CLI::App& app, CommandMain& run);

// `gprofhub serve`: collector, analysis workers and query service.

// Registers the subcommand; choosing it sets `run` to its action.
void AddServeCommand(CLI::App& app, CommandMain& run);

// `gprofhub symbols IMAGE --output FILE`: an image's symbol bundle, as an upload sends it. Bazel
// runs it as an action of the profiling configurations (bazel/symbols.bzl).

void AddSymbolsCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
