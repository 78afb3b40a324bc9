// `gprofhub order`: the functions in link order.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Registers the subcommand; choosing it sets `run` to its action.
void AddOrderCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
