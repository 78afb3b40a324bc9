// `gprofhub runs`: lists runs and the state of their analyses.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Registers the subcommand; choosing it sets `run` to its action.
void AddRunsCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
