// The lines that a change under review touches, and the findings in them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"

namespace gprofhub::reporter {

struct LineRange {
  uint32_t first = 0;
  uint32_t last = 0;  // inclusive
};

// Lines that a pull request adds or changes, in the new files' numbering, by
// path in the repository.
using ChangedLines = std::map<std::string, std::vector<LineRange>>;

// New-side line ranges of a file's unified diff, from its first hunk on. Other text is ignored.
std::vector<LineRange> LinesOfPatch(absl::string_view patch);

// The same for a whole diff in git's format, by path.
ChangedLines LinesOfGitDiff(absl::string_view diff);

// Whether the line is in one of the ranges.
bool IsChanged(const ChangedLines& changed, const std::string& path, uint32_t line);

// Sets Finding.in_diff of each finding by its call site.
void MarkChangedLines(const ChangedLines& changed, v1::Report& report);

}  // namespace gprofhub::reporter
