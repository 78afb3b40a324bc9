#include "cli/command/terminal.h"

#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/text.h"

namespace gprofhub::cli {

namespace {

enum class Color { kAuto, kAlways, kNever };

struct TerminalSettings {
  Color color = Color::kAuto;
  bool no_pager = false;
};

// Of this process: as its command line has them.
TerminalSettings& Settings() {
  static TerminalSettings settings;
  return settings;
}

constexpr ScreenSize kUsualSize = {80, 24};
constexpr size_t kFarthestIndent = 40;
// Containers often have no less.
constexpr char kDefaultPager[] = "command -v less >/dev/null && exec less -FRX; exec cat";
constexpr int kNotFoundByShell = 127;
constexpr int kNotStartedByShell = 126;

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

size_t SizeOf(unsigned reported, const char* variable, size_t otherwise) {
  size_t set = 0;
  if (reported > 0) return reported;
  return absl::SimpleAtoi(Variable(variable), &set) && set > 0 ? set : otherwise;
}

ScreenSize ScreenOf(int file) {
  if (isatty(file) == 0) return {};
  winsize size = {};
  // A terminal without a size reports zeros.
  if (ioctl(file, TIOCGWINSZ, &size) != 0) size = {};
  return {SizeOf(size.ws_col, "COLUMNS", kUsualSize.columns),
          SizeOf(size.ws_row, "LINES", kUsualSize.lines)};
}

// The first character of `text`, or a whole escape sequence ECMA-48 CSI, is removed from it.
absl::string_view TakeGlyph(absl::string_view& text) {
  size_t bytes = std::max<size_t>(base::FirstUtf8Character(text).bytes, 1);
  if (absl::StartsWith(text, "\x1b[")) {
    bytes = 2;
    while (bytes < text.size() && (text[bytes] < '@' || text[bytes] > '~')) ++bytes;
    bytes = std::min(bytes + 1, text.size());
  }
  const absl::string_view glyph = text.substr(0, bytes);
  text.remove_prefix(bytes);
  return glyph;
}

// Where continued lines of this line begin.
size_t IndentOf(absl::string_view line) {
  const size_t first = line.find_first_not_of(' ');
  if (first == absl::string_view::npos) return 0;
  const size_t gap = line.find("  ", first);
  if (gap == absl::string_view::npos) return first;
  const size_t second = line.find_first_not_of(' ', gap);
  if (second == absl::string_view::npos) return first;
  const size_t column = ColumnsOf(line.substr(0, second));
  return column <= kFarthestIndent ? column : first;
}

void AppendWrapped(absl::string_view line, size_t columns, std::string& out) {
  if (ColumnsOf(line) <= columns) {
    absl::StrAppend(&out, line);
    return;
  }
  size_t indent = IndentOf(line);
  if (indent * 2 > columns) indent = line.find_first_not_of(' ');
  size_t column = 0;
  bool has_word = false;
  while (!line.empty()) {
    const size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    const size_t end = std::min(line.find(' ', blanks), line.size());
    const absl::string_view word = line.substr(blanks, end - blanks);
    const size_t width = ColumnsOf(word);
    if (has_word && column > indent && column + blanks + width > columns) {
      absl::StrAppend(&out, "\n", std::string(indent, ' '), word);
      column = indent + width;
    } else {
      absl::StrAppend(&out, line.substr(0, end));
      column += blanks + width;
    }
    has_word = true;
    line.remove_prefix(end);
  }
}

}  // namespace

void AddTerminalOptions(CLI::App& app) {
  Settings() = {};
  app.add_option_function<std::string>(
         "--color",
         [](const std::string& when) {
           Settings().color = when == "always"  ? Color::kAlways
                              : when == "never" ? Color::kNever
                                                : Color::kAuto;
         },
         "Colours in text: auto (default) uses them on a terminal, unless NO_COLOR is set")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_flag(
      "--no-pager", Settings().no_pager,
      "Print long text without a pager. The pager is GPROFHUB_PAGER, else PAGER, else less; "
      "it is used on a terminal only");
}

bool IsDumbTerminal() { return Variable("TERM") == "dumb"; }

ScreenSize StdoutScreen() { return ScreenOf(STDOUT_FILENO); }

ScreenSize StderrScreen() { return ScreenOf(STDERR_FILENO); }

bool StdoutHasColor() {
  if (Settings().color != Color::kAuto) return Settings().color == Color::kAlways;
  return isatty(STDOUT_FILENO) != 0 && !IsDumbTerminal() && Variable("NO_COLOR").empty();
}

size_t ColumnsOf(absl::string_view text) {
  // Emoji and other characters beyond the Basic Multilingual Plane take four bytes, and two
  // columns.
  constexpr size_t kWideBytes = 4;
  size_t columns = 0;
  while (!text.empty()) {
    const absl::string_view glyph = TakeGlyph(text);
    if (glyph[0] == '\x1b') continue;
    columns += glyph.size() == kWideBytes ? 2 : 1;
  }
  return columns;
}

std::string Wrapped(absl::string_view text, size_t columns) {
  if (columns == 0) return std::string(text);
  std::string out;
  bool is_first = true;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!is_first) out += '\n';
    is_first = false;
    AppendWrapped(line, columns, out);
  }
  return out;
}

size_t LinesOnScreen(absl::string_view text, size_t columns) {
  absl::ConsumeSuffix(&text, "\n");
  size_t lines = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const size_t width = ColumnsOf(line);
    lines += columns == 0 || width == 0 ? 1 : (width + columns - 1) / columns;
  }
  return lines;
}

std::string PagerCommand() {
  if (Settings().no_pager || IsDumbTerminal()) return "";
  const char* pager = std::getenv("GPROFHUB_PAGER");
  if (pager == nullptr) pager = std::getenv("PAGER");
  const std::string command = pager == nullptr ? kDefaultPager : pager;
  return command == "cat" ? "" : command;
}

bool PrintByPager(const std::string& command, absl::string_view text) {
  std::fflush(stdout);
  // For a less that PAGER names without options.
  setenv("LESS", "FRX", /*overwrite=*/0);
  FILE* const pager = popen(command.c_str(), "w");
  if (pager == nullptr) return false;
  // The pager may end before it has read everything, and handles the interrupt key itself.
  const auto on_pipe = std::signal(SIGPIPE, SIG_IGN);
  const auto on_interrupt = std::signal(SIGINT, SIG_IGN);
  std::fwrite(text.data(), 1, text.size(), pager);
  const int status = pclose(pager);
  std::signal(SIGPIPE, on_pipe);
  std::signal(SIGINT, on_interrupt);
  if (status == -1) return false;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return code != kNotFoundByShell && code != kNotStartedByShell;
}

}  // namespace gprofhub::cli
