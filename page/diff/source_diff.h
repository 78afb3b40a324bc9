// What changed in a source file from one commit to another, and which of it is a function's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::page {

struct DiffLine {
  enum class Kind { kKept, kRemoved, kAdded };
  Kind kind = Kind::kKept;
  uint32_t before = 0;  // its number, from 1; 0: it is not on that side
  uint32_t after = 0;
  std::string text;  // without line end
};

// Changed lines with up to three others before and after them; lines in between that are kept, too.
using DiffHunk = std::vector<DiffLine>;

// Of the whole file, in its order. None: both are the same. RESOURCE_EXHAUSTED: more lines changed
// than anybody reads, and than are found in a moment.
absl::StatusOr<std::vector<DiffHunk>> HunksBetween(absl::string_view before,
                                                   absl::string_view after);

// Lines of a file, both included. 0 to 0: none.
struct LineSpan {
  uint32_t first = 0;
  uint32_t last = 0;
};

// Whether a line that changed lies in one of the spans: one that was removed in `before`, one that
// was added in `after`.
bool Touches(const DiffHunk& hunk, const LineSpan& before, const LineSpan& after);

}  // namespace gprofhub::page
