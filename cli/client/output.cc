#include "cli/client/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "base/text.h"

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

namespace {

constexpr char kBetween[] = "  ";

// Characters of UTF-8: all bytes but those that continue one.
size_t Width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

void Table::AddRow(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = base::Printable(cell);
  lines_.push_back({std::move(cells), ""});
}

void Table::AddNote(const std::string& text) { lines_.push_back({{}, base::Printable(text)}); }

std::string Table::Text() const {
  std::vector<size_t> widths(columns_.size());
  for (const Line& line : lines_) {
    for (size_t i = 0; i < line.cells.size(); ++i) {
      widths[i] = std::max(widths[i], Width(line.cells[i]));
    }
  }
  std::string text;
  for (const Line& line : lines_) {
    std::string shown = line.note;
    for (size_t i = 0; i < line.cells.size(); ++i) {
      const std::string padding(widths[i] - Width(line.cells[i]), ' ');
      const bool right = columns_[i] == Align::kRight;
      absl::StrAppend(&shown, i == 0 ? "" : kBetween, right ? padding : "", line.cells[i],
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
