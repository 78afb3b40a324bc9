// An assembly file, a piece at a time.
#pragma once

#include <algorithm>
#include <string_view>

#include "runtime/assembler/text_parts.h"

namespace gprofhub {

// Calls visit(begin, end, own) for each line, and once for each range of inline assembly (#APP to
// #NO_APP).
template <typename Visit>
void ForEachPiece(std::string_view text, Visit visit) {
  for (size_t start = 0; start < text.size();) {
    size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    const size_t first = line.find_first_not_of(" \t");
    const bool own = first != std::string_view::npos && StartsWith(line.substr(first), "#APP");
    if (own) {
      const size_t close = std::min(text.find("#NO_APP", end), text.size());
      end = std::min(text.find('\n', close), text.size());
    }
    visit(start, end, own);
    start = end + 1;
  }
}

}  // namespace gprofhub
