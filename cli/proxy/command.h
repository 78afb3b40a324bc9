// `gprofhub proxy`.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/command/command.h"

namespace gprofhub::cli {

void AddProxyCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
