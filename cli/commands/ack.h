// `gprofhub ack` and `gprofhub stats`: saying that a change is all right, and how
// often the gate was wrong.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/command/command.h"

namespace gprofhub::cli {

// Declare the subcommands; when one is chosen, `run` becomes what it does.
void AddAckCommand(CLI::App& app, CommandMain& run);
void AddStatsCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
