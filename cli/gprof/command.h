// `gprofhub gprof`: GNU gprof's command line and listings.
#pragma once

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/graph/call_graph.h"
#include "cli/command/command.h"
#include "cli/gprof/options.h"
#include "profile/raw_profile.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Finds the calls in the image's code, for -c. The status' message is the line to print.
using StaticCallFinder = std::function<absl::StatusOr<std::vector<analyzer::StaticCall>>(
    const GprofOptions& options, const profile::SymbolTable& symbols)>;

// Runs `gprof [options] [image] [gmon…]`; argv[0] is its own name. Prints the
// listings to stdout, errors to stderr, and returns GNU gprof's exit codes: 0,
// or 1 after any error. docs/gprof-compatibility.md lists the differences.
int GprofMain(int argc, char** argv, const StaticCallFinder& find_static_calls);

// Declares the subcommand for --help. CLI11 does not parse its options: main() passes the command
// line to GprofMain before.
void AddGprofCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
