// `gprofhub bisect`: the commit that changed a count.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/command/command.h"

namespace gprofhub::cli {

// Declares the subcommand; when it is chosen, `run` becomes what it does.
void AddBisectCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
