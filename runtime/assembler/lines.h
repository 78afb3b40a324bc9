// An assembly file, a line at a time.
#pragma once

#include <string_view>

#include "runtime/assembler/text_parts.h"

namespace gprofhub {

// The user's own assembly within a compiler's.
class InlineAssembly {
 public:
  // True for a line of it, its bounds included.
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

template <typename Visit>
void ForEachLine(std::string_view text, Visit visit) {
  for (size_t start = 0; start < text.size();) {
    size_t end = text.find('\n', start);
    if (end == std::string_view::npos) end = text.size();
    visit(text.substr(start, end - start));
    start = end + 1;
  }
}

}  // namespace gprofhub
