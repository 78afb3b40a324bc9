// `gprofhub diff`: two runs, or two local folders, against each other.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Declares the subcommand; when it is chosen, `run` becomes what it does.
void AddDiffCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
