// Output of commands: tables, JSON, progress lines and files.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace gprofhub::cli {

// JSON as the subcommands print it.
//
// The form of messages is that of reporter/rendering/json.h, and not protobuf's own, which has
// 64-bit numbers as strings, omits fields that are 0, and refuses names that are not UTF-8.

// Two blanks a level, pure ASCII, with a newline at the end. `Json` is nlohmann::json or
// nlohmann::ordered_json. Bytes that are not UTF-8 become U+FFFD.
template <typename Json>
std::string JsonText(const Json& json) {
  return json.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

// Progress of a command, in a terminal.

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

// Whether stderr, where progress goes, is a terminal that can replace a line.
bool StderrIsTerminal();

// Tables for people.

// Rows of cells, each column as wide as its widest cell. Cells are made printable
// (base/text.h).
class Table {
 public:
  // kName: left; on a narrow terminal cells are shortened in the middle.
  enum class Align { kLeft, kRight, kName };

  explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}

  // Headings are a row, too. Columns without a cell stay empty.
  void AddRow(std::vector<std::string> cells);

  // A line of its own below the last row, made printable.
  void AddNote(const std::string& text);

  // Of at most this many columns, as far as names can be shortened; 0: no limit.
  std::string Text(size_t columns) const;
  // For stdout.
  std::string Text() const;

 private:
  struct Line {
    std::vector<std::string> cells;
    std::string note;  // replaces the cells, unless empty
  };

  std::vector<Align> columns_;
  std::vector<Line> lines_;
};

// Files that a command writes.

// Writes `bytes` to the file. FAILED_PRECONDITION, with the path and the reason, if it cannot be
// written; then the file may contain a part of it.
absl::Status WriteFile(const std::string& path, absl::string_view bytes);

}  // namespace gprofhub::cli
