// `gprofhub token`: makes, lists and revokes the tokens of projects.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Registers the subcommand; choosing it sets `run` to its action.
void AddTokenCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
