// `gprofhub info RECORDING…`: contents and origin of a recording.
#pragma once

#include "cli/command/command.h"

namespace gprofhub::cli {

void AddInfoCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
