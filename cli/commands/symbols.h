// `gprofhub symbols IMAGE --output FILE`: an image's symbol bundle, as an upload sends it. Bazel
// runs it as an action of the profiling configurations (bazel/symbols.bzl).
#pragma once

#include "cli/command/command.h"

namespace gprofhub::cli {

void AddSymbolsCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
