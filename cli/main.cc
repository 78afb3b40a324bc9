// `gprofhub`: one binary, a subcommand per job.
#include <CLI/CLI.hpp>
#include <iostream>

#include "cli/command.h"
#include "cli/upload_command.h"

int main(int argc, char** argv) {
  CLI::App app("gprofhub: call-graph performance knowledge from every `bazel test`");
  app.require_subcommand(1);
  gprofhub::CommandMain run;
  gprofhub::AddUploadCommand(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 has codes of its own; scripts get ours.
    return app.exit(error) == 0 ? gprofhub::kExitOk : gprofhub::kExitUsage;
  }
  return run();
}
