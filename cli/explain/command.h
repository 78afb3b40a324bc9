// `gprofhub explain`: the call paths that lead to a finding.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Registers the subcommand; choosing it sets `run` to its action.
void AddExplainCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
