// `gprofhub rerun-list`: which tests to run again, so that a report can tell more.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Declares the subcommand; when it is chosen, `run` becomes what it does.
void AddRerunListCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
