// `gprofhub ack`: says that a change is all right.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Declares the subcommand; when it is chosen, `run` becomes what it does.
void AddAckCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
