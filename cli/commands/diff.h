// `gprofhub diff`: two runs, or two local folders, against each other.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Registers the subcommand; choosing it sets `run` to its action.
void AddDiffCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
