// `gprofhub serve`: collector, analysis workers and query service.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Declares the subcommand; when it is chosen, `run` becomes what it does.
void AddServeCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
