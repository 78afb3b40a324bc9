// `gprofhub stats`: how often the gate was wrong.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Registers the subcommand; choosing it sets `run` to its action.
void AddStatsCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
