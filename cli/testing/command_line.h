// Subcommands as a user types them, run in this process.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

struct CommandResult {
  int exit_code = 0;  // an ExitCode
  std::string out;
  std::string err;
};

// Declares a subcommand, as each command's header does.
using AddCommand = void (*)(CLI::App&, CommandMain&);

// Runs what follows "gprofhub" on a command line.
CommandResult RunCommandLine(absl::Span<const AddCommand> commands,
                             const std::vector<std::string>& words);

// An empty folder of the running test's own.
std::filesystem::path EmptyTestFolder();

// Fails the running test if the file cannot be read.
std::string ReadTestFile(const std::string& path);

}  // namespace gprofhub::cli
