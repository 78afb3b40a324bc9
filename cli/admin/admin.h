// `gprofhub admin` and `gprofhub audit`: work on the store itself, without a server.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Registers the subcommands; the chosen one sets `run` to its action.
void AddAdminCommand(CLI::App& app, CommandMain& run);
void AddAuditCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
