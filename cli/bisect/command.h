// `gprofhub bisect`: the commit that changed a count.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Registers the subcommand; choosing it sets `run` to its action.
void AddBisectCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
