// @FILE: arguments from a file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gprofhub::cli {

// The arguments of a command line, one after the other. Instead of an argument "@FILE" come
// the arguments in FILE, separated by white space, with '…', "…" and backslashes as in a
// shell; a file may name others. What cannot be read stays as it is, as do files nested too
// deep or larger than 16 MiB together. No more is held than the files that are being read.
class ArgumentStream {
 public:
  explicit ArgumentStream(std::vector<std::string> arguments);

  // None: that was the last one.
  std::optional<std::string> Next();

  // What the arguments still to come have at most, each with a byte more, but for files that
  // they name.
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

}  // namespace gprofhub::cli
