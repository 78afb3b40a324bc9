// `gprofhub token`: makes, lists and revokes the tokens of projects.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Declares the subcommand; when it is chosen, `run` becomes what it does.
void AddTokenCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
