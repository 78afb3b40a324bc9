// The text of an @FILE. Its arguments, quoted again, must be the same arguments.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "cli/gprof/parse_options.h"

namespace {

std::vector<std::string> SplitArguments(const std::string& text) {
  std::vector<std::string> arguments;
  size_t position = 0;
  while (auto argument = gprofhub::cli::TakeArgument(text, position)) {
    arguments.push_back(*std::move(argument));
  }
  return arguments;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> arguments = SplitArguments(text);
  size_t bytes = 0;
  std::string quoted;
  for (const std::string& argument : arguments) {
    bytes += argument.size();
    quoted += "''";
    for (const char c : argument) {
      quoted += '\\';
      quoted += c;
    }
    quoted += '\n';
  }
  if (arguments.size() + bytes > 2 * size) std::abort();
  if (SplitArguments(quoted) != arguments) std::abort();
  return 0;
}
