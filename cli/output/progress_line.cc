#include "cli/output/progress_line.h"

#include <unistd.h>

#include "base/printable.h"

namespace gprofhub::cli {
namespace {

// ECMA-48: back to the first column, erase the line.
constexpr char kClearLine[] = "\r\x1b[K";

}  // namespace

void ProgressLine::Show(absl::string_view text) {
  const std::string line = base::Printable(text);
  absl::MutexLock lock(&mutex_);
  if (line == shown_) return;
  shown_ = line;
  if (is_terminal_) {
    out_ << kClearLine << line << std::flush;
    is_open_ = true;
  } else {
    out_ << line << "\n" << std::flush;
  }
}

void ProgressLine::End() {
  absl::MutexLock lock(&mutex_);
  EndLine();
}

void ProgressLine::Note(absl::string_view text) {
  const std::string line = base::Printable(text);
  absl::MutexLock lock(&mutex_);
  EndLine();
  out_ << line << "\n" << std::flush;
}

void ProgressLine::EndLine() {
  if (is_open_) out_ << "\n" << std::flush;
  is_open_ = false;
}

bool StderrIsTerminal() { return isatty(STDERR_FILENO) != 0; }

}  // namespace gprofhub::cli
