// `gprofhub live PID VERB`: steers the profiling of a program that runs.
#pragma once

#include "cli/command/command.h"

namespace gprofhub::cli {

void AddLiveCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
