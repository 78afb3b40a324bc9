// `gprofhub window`: the part of a recording between two of its marks.
#pragma once

#include "cli/command/command.h"

namespace gprofhub::cli {

void AddWindowCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
