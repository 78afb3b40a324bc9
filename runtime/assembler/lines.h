// An assembly file, a line at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "runtime/assembler/text_parts.h"

namespace gprofhub {

// Inline assembly within a compiler's output.
class InlineAssembly {
 public:
  // True for a line of inline assembly, including its bounds.
  bool Holds(std::string_view line) {
    const size_t start = line.find_first_not_of(" \t");
    const std::string_view text =
        start == std::string_view::npos ? std::string_view() : line.substr(start);
    if (StartsWith(text, "#NO_APP")) {
      inside_ = false;
      return true;
    }
    if (StartsWith(text, "#APP")) inside_ = true;
    return inside_;
  }

 private:
  bool inside_ = false;
};

// End of the data at the beginning of a debug section, from `start`: labels and bytes.
inline size_t EndOfDebugData(std::string_view text, size_t start) {
  const auto is_data = [&](size_t at) {
    const std::string_view head = text.substr(at, 4);
    if (head.empty() || head[0] == '.') return !head.empty();
    if (head.size() < 4 || head[0] != '\t' || head[1] != '.') return false;
    switch (head[2]) {
      case 'a':  // .ascii, .asciz
        return head[3] == 's';
      case 'b':  // .byte
        return head[3] == 'y';
      case 's':  // .string, .sleb128, .short
        return head[3] == 't' || head[3] == 'l' || head[3] == 'h';
      case 'l':  // .long
        return head[3] == 'o';
      case 'u':  // .uleb128
      case 'q':  // .quad
      case 'v':  // .value
      case 'z':  // .zero
      case '2':  // .2byte, …
      case '4':
      case '8':
        return true;
      default:
        return false;
    }
  };
  while (is_data(start)) {
    const size_t end = text.find('\n', start);
    if (end == std::string_view::npos) return text.size();
    start = end + 1;
  }
  return start;
}

template <typename Visit>
void ForEachLine(std::string_view text, Visit visit) {
  for (size_t start = 0; start < text.size();) {
    size_t end = text.find('\n', start);
    if (end == std::string_view::npos) end = text.size();
    visit(text.substr(start, end - start));
    start = end + 1;
  }
}

// As above, but the data of a debug section, which are most of a file, are passed to `skip` as a
// whole: they contain no calls and no references that make a function callable.
template <typename Visit, typename Skip>
void ForEachLineOfCode(std::string_view text, Visit visit, Skip skip) {
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    visit(line);
    start = end + 1;
    if (!StartsWith(line, "\t.section\t.debug") || start >= text.size()) continue;
    const size_t data = EndOfDebugData(text, start);
    skip(text.substr(start, data - start));
    start = data;
  }
}

}  // namespace gprofhub
