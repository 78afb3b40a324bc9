// The terminal that a command prints to: its size and colours, and the pager for long text.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

// Adds --color and --no-pager for all commands.
void AddTerminalOptions(CLI::App& app);

// Size in characters; 0: not a terminal, so there is no limit.
struct ScreenSize {
  size_t columns = 0;
  size_t lines = 0;
};

ScreenSize StdoutScreen();
ScreenSize StderrScreen();

// Whether the terminal shows nothing but characters (TERM=dumb).
bool IsDumbTerminal();

// Whether text on stdout has colours: as --color sets it; by default only on a terminal that has
// them (TERM is not "dumb") if NO_COLOR is not set (no-color.org).
bool StdoutHasColor();

// The columns that `text` (UTF-8, one line) takes. Escape sequences of colours take none.
size_t ColumnsOf(absl::string_view text);

// `text` with line breaks between words, so that lines have at most this number of columns; 0: no
// limit. A longer word stays whole. Continued lines are indented: as their line is, or as its
// second column of text, which two blanks separate from the first.
std::string Wrapped(absl::string_view text, size_t columns);

// The number of lines that `text` takes on a screen of this width.
size_t LinesOnScreen(absl::string_view text, size_t columns);

// The pager's command line for the shell: GPROFHUB_PAGER, else PAGER, else "less -FRX". Empty where
// text is printed directly: with --no-pager, on a dumb terminal, or if the variable is empty or
// "cat".
std::string PagerCommand();

// Sends `text` to the pager and waits for it. False if it did not start: nothing was printed.
bool PrintByPager(const std::string& command, absl::string_view text);

}  // namespace gprofhub::cli
