// `gprofhub info RECORDING…`: what a recording holds and how it was made.
#pragma once

#include "cli/command.h"

namespace gprofhub {

void AddInfoCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub
