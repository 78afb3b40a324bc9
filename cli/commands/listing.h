// `gprofhub listing`: what gprof prints of one target in a run.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Registers the subcommand; choosing it sets `run` to its action.
void AddListingCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
