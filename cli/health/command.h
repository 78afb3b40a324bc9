// `gprofhub health`: whether a server serves, for containers' liveness probes and for scripts.
#pragma once

#include "cli/command/command.h"

namespace gprofhub::cli {

void AddHealthCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
