// `gprofhub trend`: one function over the runs.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/command/command.h"

namespace gprofhub::cli {

// Declares the subcommand; when it is chosen, `run` becomes what it does.
void AddTrendCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
