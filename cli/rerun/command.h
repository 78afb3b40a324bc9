// `gprofhub rerun-list`: the tests to run again for a conclusive report.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Registers the subcommand; choosing it sets `run` to its action.
void AddRerunListCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
