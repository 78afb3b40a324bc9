// Progress of a command, in a terminal.
#pragma once

#include <ostream>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace gprofhub::cli {

// On a terminal one line that changes. Elsewhere, such as in a CI job's log, a line for each
// text that differs from the one before. Safe to use from several threads.
class ProgressLine {
 public:
  // `out` outlives this.
  ProgressLine(std::ostream& out, bool is_terminal) : out_(out), is_terminal_(is_terminal) {}
  ~ProgressLine() { End(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows the text, made printable.
  void Show(absl::string_view text);

  // Ends the line: later output to `out` begins on a new one.
  void End();

  // Writes the text, made printable, on a line of its own.
  void Note(absl::string_view text);

 private:
  void EndLine() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::ostream& out_;
  const bool is_terminal_;
  absl::Mutex mutex_;
  bool is_open_ ABSL_GUARDED_BY(mutex_) = false;  // the terminal's cursor stands behind a text
  std::string shown_ ABSL_GUARDED_BY(mutex_);
};

// Whether stderr, where progress goes, is a terminal.
bool StderrIsTerminal();

}  // namespace gprofhub::cli
