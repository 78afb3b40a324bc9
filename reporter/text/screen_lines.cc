#include "reporter/text/screen_lines.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace gprofhub::reporter {
namespace {

size_t Columns(absl::string_view word) {
  size_t columns = 0;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    columns += (byte & 0xC0) != 0x80;
    columns += byte >= 0xF0;  // first of four bytes
  }
  return columns;
}

// Markdown's "[words](address)" without the address. Code is unchanged.
std::string WithoutAddresses(absl::string_view line) {
  std::string shown;
  bool in_code = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '`') in_code = !in_code;
    shown += line[i];
    if (in_code || !absl::StartsWith(line.substr(i), "](")) continue;
    i = std::min(line.size(), line.find(')', i));
  }
  return shown;
}

size_t LinesOf(absl::string_view line, size_t columns) {
  size_t lines = 1, used = 0;
  for (absl::string_view word : absl::StrSplit(line, ' ')) {
    size_t wide = Columns(word);
    if (used > 0 && used + 1 + wide > columns) {
      ++lines;
      used = 0;
    }
    if (used > 0) ++used;  // the blank before the word
    used += wide;
    while (used > columns) {
      ++lines;
      used -= columns;
    }
  }
  return lines;
}

}  // namespace

size_t TerminalLines(absl::string_view text, size_t columns) {
  columns = std::max<size_t>(columns, 1);
  size_t lines = 0;
  if (absl::EndsWith(text, "\n")) text.remove_suffix(1);
  for (absl::string_view line : absl::StrSplit(text, '\n')) lines += LinesOf(line, columns);
  return lines;
}

size_t ScreenLines(absl::string_view text, size_t columns) {
  size_t lines = 0;
  if (absl::EndsWith(text, "\n")) text.remove_suffix(1);
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const bool hidden = absl::StartsWith(line, "<!--") && absl::EndsWith(line, "-->");
    if (!hidden) lines += TerminalLines(WithoutAddresses(line), columns);
  }
  return lines;
}

}  // namespace gprofhub::reporter
