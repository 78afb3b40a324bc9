// `gprofhub info RECORDING…`: what a recording holds and how it was made.
#pragma once

#include "cli/command/command.h"

namespace gprofhub::cli {

void AddInfoCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
