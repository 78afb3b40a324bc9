// Starts gprofhub_commands from its own folder.
//
// Where the archive for any Linux is unpacked (packaging/portable), the program's libraries are
// below it in lib/, including its C library and loader. A program cannot name its loader by a path
// relative to itself, so the loader is started, with the program as argument. Elsewhere the program
// is started directly.
#pragma once

#include <string>
#include <vector>

namespace gprofhub::cli {

// The first words of a command line, a path first, that starts gprofhub_commands of `folder`, which
// has a slash at its end or is empty; `name` is its argv[0].
std::vector<std::string> StartCommands(const std::string& folder, const std::string& name);

// The same for the running program, regardless of its name and location.
std::vector<std::string> StartThisAgain();

}  // namespace gprofhub::cli
