// `gprofhub check`: whether a run passes the repository's gate.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Registers the subcommand; choosing it sets `run` to its action.
void AddCheckCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
