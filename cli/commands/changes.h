// `gprofhub changes`: where a history changed for good.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Declares the subcommand; when it is chosen, `run` becomes what it does.
void AddChangesCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
