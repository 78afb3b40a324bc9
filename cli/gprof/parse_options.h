// Parser of GNU gprof's command line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "cli/gprof/options.h"

namespace gprofhub::cli {

// @FILE: arguments from a file.

// The arguments of a command line, one after the other. An argument "@FILE" is replaced by the
// arguments in FILE, which are separated by white space, with '…', "…" and backslashes as in a
// shell. A file may name other files. An "@FILE" that cannot be read stays as it is; so do files
// that are nested too deep, or larger than 16 MiB together. Only the files being read are in
// memory.
class ArgumentStream {
 public:
  explicit ArgumentStream(std::vector<std::string> arguments);

  // Returns the next argument; nullopt at the end.
  std::optional<std::string> Next();

  // An upper bound of the bytes of the arguments still to come, with one more byte for each.
  // The files that they name are not counted.
  size_t bytes_left() const;

 private:
  struct OpenFile {
    std::string text;
    size_t position = 0;
  };

  std::optional<std::string> NextAsWritten();
  std::optional<std::string> ReadArguments(const std::string& path);

  std::vector<std::string> arguments_;
  size_t next_ = 0;
  std::vector<OpenFile> open_;  // each named in the one before
  int files_ = 0;
  size_t bytes_ = 0;  // of files
};

// Takes the argument that begins at `position` or behind white space there; none at the end.
std::optional<std::string> TakeArgument(absl::string_view text, size_t& position);

// Result of parsing: the options, or the exit code if the command line is done.
using ParsedOptions = std::variant<GprofOptions, int>;

// Parses the arguments after the program's name. @FILE arguments are replaced by the arguments in
// the file. Errors go to stderr, --help and --version to stdout, as getopt_long and GNU gprof word
// them.
ParsedOptions ParseGprofOptions(int argc, char** argv);

}  // namespace gprofhub::cli
