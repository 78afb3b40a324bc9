// `gprofhub gmon RECORDING… --output-dir DIR`: gmon.out files for GNU gprof.
#pragma once

#include "cli/command/command.h"

namespace gprofhub::cli {

void AddGmonCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
