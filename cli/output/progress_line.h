// How far a command has come, for people who wait.
#pragma once

#include <ostream>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::cli {

// On a terminal one line that changes. Elsewhere, such as in a CI job's log, a line for each
// text that differs from the one before.
class ProgressLine {
 public:
  // `out` outlives this.
  ProgressLine(std::ostream& out, bool is_terminal) : out_(out), is_terminal_(is_terminal) {}
  ~ProgressLine() { End(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows the text, made printable.
  void Show(absl::string_view text);

  // What is written to `out` after this stands on a line of its own.
  void End();

 private:
  std::ostream& out_;
  const bool is_terminal_;
  bool is_open_ = false;  // the terminal's cursor stands behind a text
  std::string shown_;
};

// Whether stderr, where progress goes, is a terminal.
bool StderrIsTerminal();

}  // namespace gprofhub::cli
