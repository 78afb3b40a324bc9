// @FILE: arguments from a file.
#pragma once

#include <string>
#include <vector>

namespace gprofhub {

// Replaces each argument "@FILE" by the arguments in FILE, separated by white
// space, with '…', "…" and backslashes as in a shell; a file may name others.
// What cannot be read stays as it is, as do files nested too deep or larger
// than 16 MiB together.
std::vector<std::string> ExpandArgumentFiles(const std::vector<std::string>& arguments);

// The arguments in `text`.
std::vector<std::string> SplitArguments(const std::string& text);

}  // namespace gprofhub
