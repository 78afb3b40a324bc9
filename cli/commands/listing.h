// `gprofhub listing`: what gprof prints of one target in a run.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/command/command.h"

namespace gprofhub::cli {

// Declares the subcommand; when it is chosen, `run` becomes what it does.
void AddListingCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
