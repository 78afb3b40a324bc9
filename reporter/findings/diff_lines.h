// The lines that a change under review touches, and the findings in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// How much of the tests a report covers. A test that was not compared may have changed, so every
// text that reports "the same" adds this.

// "2 of 5 tests were not compared"; empty: all were compared.
std::string NotComparedWords(size_t not_compared, size_t tests);

// The same for a report's tests.
std::string NotComparedWords(const v1::Compared& compared);

// Why no test of a report was compared, as a clause; empty: at least one was.
std::string NothingComparedWords(const v1::Compared& compared);

// The targets that were not compared, grouped by reason, in the order of each group's first target.
std::vector<std::pair<std::string, std::vector<std::string>>> NotComparedByReason(
    const v1::Compared& compared);

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

// Sets Finding.in_diff of each finding by its call site. A call next to a changed line is not the
// test's input: code that was inlined into the test may be edited.
void MarkChangedLines(const ChangedLines& changed, v1::Report& report);

// Texts about tests to rerun.

// Totals of Report.reruns.
struct RerunCounts {
  size_t tests = 0;
  uint32_t runs = 0;  // maximum over the tests
};
RerunCounts CountReruns(const v1::Report& report);

// "4 tests would be decided by up to 3 more runs"; empty without reruns.
std::string RerunWords(const RerunCounts& counts);

// "gprofhub rerun-list 12"; without the number if the head is a local directory.
std::string RerunListCommand(const v1::Report& report);

// One-line description of a toolchain change.

// "gcc 12.2.0 -O2 → clang 14.0.6 -O2": both compilers with their -O; for one compiler and version,
// also the options that only one side has. Names as in profile/demangle.h.
std::string ToolchainLabel(absl::string_view before, absl::string_view after);

}  // namespace gprofhub::reporter
