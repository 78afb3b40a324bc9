// `gprofhub upload`: sends the profiles of a `bazel test --config=gprof` to a
// server.
#pragma once

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Registers the subcommand; choosing it sets `run` to its action.
void AddUploadCommand(CLI::App& app, CommandMain& run);

}  // namespace gprofhub::cli
