// `gprofhub proxy`.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

void AddProxyCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
