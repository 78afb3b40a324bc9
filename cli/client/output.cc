#include "cli/client/output.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "cli/command/terminal.h"

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
    // A line that the terminal wraps could not be replaced.
    const size_t columns = StderrScreen().columns;
    out_ << kClearLine << (columns > 1 ? base::Shortened(line, columns - 1) : line) << std::flush;
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

bool StderrIsTerminal() { return StderrScreen().columns > 0 && !IsDumbTerminal(); }

namespace {

constexpr char kBetween[] = "  ";

constexpr size_t kShortestName = 8;

// Reduces the widest of these columns, to an equal width, until the table has at most `columns`.
void FitNames(const std::vector<Table::Align>& aligns, size_t columns,
              std::vector<size_t>& widths) {
  size_t needed = aligns.empty() ? 0 : (aligns.size() - 1) * (sizeof kBetween - 1);
  for (const size_t width : widths) needed += width;
  while (needed > columns) {
    size_t* widest = nullptr;
    for (size_t i = 0; i < aligns.size(); ++i) {
      const bool can_shrink = aligns[i] == Table::Align::kName && widths[i] > kShortestName;
      if (can_shrink && (widest == nullptr || widths[i] > *widest)) widest = &widths[i];
    }
    if (widest == nullptr) return;
    --*widest;
    --needed;
  }
}

}  // namespace

void Table::AddRow(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = base::Printable(cell);
  lines_.push_back({std::move(cells), ""});
}

void Table::AddNote(const std::string& text) { lines_.push_back({{}, base::Printable(text)}); }

std::string Table::Text() const { return Text(StdoutScreen().columns); }

std::string Table::Text(size_t columns) const {
  std::vector<size_t> widths(columns_.size());
  for (const Line& line : lines_) {
    for (size_t i = 0; i < line.cells.size(); ++i) {
      widths[i] = std::max(widths[i], ColumnsOf(line.cells[i]));
    }
  }
  if (columns > 0) FitNames(columns_, columns, widths);
  std::string text;
  for (const Line& line : lines_) {
    std::string shown = line.note;
    for (size_t i = 0; i < line.cells.size(); ++i) {
      const std::string cell = base::Shortened(line.cells[i], widths[i]);
      const std::string padding(widths[i] - std::min(widths[i], ColumnsOf(cell)), ' ');
      const bool right = columns_[i] == Align::kRight;
      absl::StrAppend(&shown, i == 0 ? "" : kBetween, right ? padding : "", cell,
                      right ? "" : padding);
    }
    shown.erase(shown.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, shown, "\n");
  }
  return text;
}

absl::Status WriteFile(const std::string& path, absl::string_view bytes) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      path, " cannot be written", errno == 0 ? "" : ": ", errno == 0 ? "" : std::strerror(errno)));
}

}  // namespace gprofhub::cli
