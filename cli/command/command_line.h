// The command line as a whole: options of every command, help, and errors with suggestions.
#pragma once

#include <string>
#include <vector>

#include "cli/command/command.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Prepares the program's app; commands are added after it.
void PrepareApp(CLI::App& app);

// Adds `gprofhub help`.
void AddHelpCommand(CLI::App& app, CommandMain& run);

// Parses the words after the program's name and runs the command that they choose, which sets `run`
// while it is parsed. Prints help; errors of the command line name the closest known word. Returns
// the exit code.
int ParseAndRun(CLI::App& app, const CommandMain& run, const std::vector<std::string>& words);

// The deepest of the subcommands chosen by the words; `app` itself if there is none.
const CLI::App& ChosenCommand(const CLI::App& app);

// The values in a message or type of CLI11 such as "TEXT:{text,json}".
std::vector<std::string> ListedValues(const std::string& text);

}  // namespace gprofhub::cli
