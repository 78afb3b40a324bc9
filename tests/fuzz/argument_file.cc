// The text of an @FILE. Its arguments, quoted again, must be the same arguments.

#include "cli/gprof/argument_file.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> arguments = gprofhub::SplitArguments(text);
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
  if (gprofhub::SplitArguments(quoted) != arguments) std::abort();
  return 0;
}
