#include "reporter/findings/diff_lines.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gprofhub::reporter {
namespace {

// The first new-side line of "@@ -a,b +c,d @@", or 0.
uint32_t HunkStart(absl::string_view line) {
  if (!absl::ConsumePrefix(&line, "@@ -")) return 0;
  const size_t plus = line.find(" +");
  if (plus == absl::string_view::npos) return 0;
  line.remove_prefix(plus + 2);
  uint32_t start = 0;
  return absl::SimpleAtoi(line.substr(0, line.find_first_of(", ")), &start) ? start : 0;
}

void AddLine(uint32_t line, std::vector<LineRange>& ranges) {
  if (!ranges.empty() && ranges.back().last + 1 == line) {
    ranges.back().last = line;
  } else {
    ranges.push_back({line, line});
  }
}

// Reads hunks line by line.
class PatchReader {
 public:
  void Read(absl::string_view line, std::vector<LineRange>& ranges) {
    if (const uint32_t start = HunkStart(line); start > 0) {
      next_ = start;
    } else if (next_ > 0 && absl::StartsWith(line, "+")) {
      AddLine(next_++, ranges);
    } else if (next_ > 0 && absl::StartsWith(line, " ")) {
      ++next_;
    }
  }
  void EndFile() { next_ = 0; }

 private:
  uint32_t next_ = 0;  // on the new side; 0 outside of hunks
};

}  // namespace

std::vector<LineRange> LinesOfPatch(absl::string_view patch) {
  std::vector<LineRange> ranges;
  PatchReader reader;
  for (absl::string_view line : absl::StrSplit(patch, '\n')) reader.Read(line, ranges);
  return ranges;
}

ChangedLines LinesOfGitDiff(absl::string_view diff) {
  ChangedLines changed;
  std::string path;
  PatchReader reader;
  for (absl::string_view line : absl::StrSplit(diff, '\n')) {
    if (absl::StartsWith(line, "diff --git ")) {
      path.clear();
      reader.EndFile();
    } else if (path.empty() && absl::ConsumePrefix(&line, "+++ b/")) {
      path = std::string(line);
    } else if (!path.empty()) {
      reader.Read(line, changed[path]);
    }
  }
  return changed;
}

bool IsChanged(const ChangedLines& changed, const std::string& path, uint32_t line) {
  const auto file = changed.find(path);
  if (file == changed.end()) return false;
  return std::any_of(file->second.begin(), file->second.end(), [line](const LineRange& range) {
    return range.first <= line && line <= range.last;
  });
}

void MarkChangedLines(const ChangedLines& changed, v1::Report& report) {
  for (v1::Finding& finding : *report.mutable_findings()) {
    absl::string_view path = finding.site().file();
    absl::ConsumePrefix(&path, "./");
    finding.set_in_diff(IsChanged(changed, std::string(path), finding.site().line()));
  }
}

}  // namespace gprofhub::reporter
