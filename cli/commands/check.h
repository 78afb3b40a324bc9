// `gprofhub check`: whether a run passes the repository's gate.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/command/command.h"

namespace gprofhub::cli {

// Declares the subcommand; when it is chosen, `run` becomes what it does.
void AddCheckCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
