// Line diff of a source file between two commits, and which hunks belong to a function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/computed.h"

namespace gprofhub::page {

struct DiffLine {
  enum class Kind { kKept, kRemoved, kAdded };
  Kind kind = Kind::kKept;
  uint32_t before = 0;  // line number, from 1; 0: not on that side
  uint32_t after = 0;
  std::string text;  // without line end
};

// Changed lines with up to three lines of context. Hunks whose context overlaps are one.
using DiffHunk = std::vector<DiffLine>;

// Hunks of the whole file, in file order. Empty if both are the same. RESOURCE_EXHAUSTED if too
// many lines changed to be read, or to be diffed quickly.
absl::StatusOr<std::vector<DiffHunk>> HunksBetween(absl::string_view before,
                                                   absl::string_view after);

// Lines of a file, both included. 0 to 0: empty.
struct LineSpan {
  uint32_t first = 0;
  uint32_t last = 0;
};

// Whether a changed line lies in one of the spans: a removed line in `before`, an added line in
// `after`.
bool Touches(const DiffHunk& hunk, const LineSpan& before, const LineSpan& after);

// Source range of a function, as far as the profile has it.

struct FunctionLines {
  std::string file;  // as debug information names it, without "./"
  // From its entry to the line before the next function of the file that the profile knows. The
  // range is too long if functions in between never ran.
  LineSpan lines;
};

// Nothing if the profile lacks the function (FindRows), or its source location.
std::optional<FunctionLines> FunctionLinesOf(const profile::ComputedProfile& profile,
                                             absl::string_view function);

}  // namespace gprofhub::page
