// `gprofhub explain`: from a finding to the call paths that lead to it.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Declares the subcommand; when it is chosen, `run` becomes what it does.
void AddExplainCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
