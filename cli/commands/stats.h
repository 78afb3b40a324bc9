// `gprofhub stats`: how often the gate was wrong.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Declares the subcommand; when it is chosen, `run` becomes what it does.
void AddStatsCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
