#include "reporter/findings/diff_lines.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {

namespace {

// Tests that the report covers or lists as not compared.
size_t TestsOf(const v1::Compared& compared) {
  return static_cast<size_t>(compared.targets_size()) +
         static_cast<size_t>(compared.unchanged_targets_size()) +
         static_cast<size_t>(compared.not_compared_size());
}

}  // namespace

std::string NotComparedWords(size_t not_compared, size_t tests) {
  if (not_compared == 0) return "";
  if (tests == 1) return "the test could not be compared";
  if (not_compared == tests) return absl::StrCat("none of the ", tests, " tests could be compared");
  return absl::StrCat(not_compared, " of ", tests, " tests ", not_compared == 1 ? "was" : "were",
                      " not compared");
}

std::string NotComparedWords(const v1::Compared& compared) {
  return NotComparedWords(static_cast<size_t>(compared.not_compared_size()), TestsOf(compared));
}

std::string NothingComparedWords(const v1::Compared& compared) {
  if (compared.targets_size() > 0) return "";
  if (compared.unchanged_targets_size() == 0) {
    if (compared.not_compared_size() > 0) return NotComparedWords(compared);
    return compared.new_targets_size() + compared.vanished_targets_size() > 0
               ? "no test is on both sides"
               : "";
  }
  if (compared.not_compared_size() == 0) return "the binary of every test is the base's";
  return absl::StrCat("the binaries of the other tests are the base's; ",
                      NotComparedWords(compared));
}

std::vector<std::pair<std::string, std::vector<std::string>>> NotComparedByReason(
    const v1::Compared& compared) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const v1::NotCompared& one : compared.not_compared()) {
    auto found = std::find_if(reasons.begin(), reasons.end(),
                              [&](const auto& known) { return known.first == one.reason(); });
    if (found == reasons.end()) found = reasons.insert(found, {one.reason(), {}});
    found->second.push_back(one.target());
  }
  return reasons;
}

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

namespace {

// Lines above a call in which an edit can change how often the call runs.
constexpr uint32_t kLinesOfLoop = 10;

bool IsNearChange(const ChangedLines& changed, const std::string& path, uint32_t line) {
  const auto file = changed.find(path);
  return file != changed.end() && absl::c_any_of(file->second, [line](const LineRange& range) {
           return range.first <= line && line <= range.last + kLinesOfLoop;
         });
}

}  // namespace

void MarkChangedLines(const ChangedLines& changed, v1::Report& report) {
  for (v1::Finding& finding : *report.mutable_findings()) {
    absl::string_view path = finding.site().file();
    absl::ConsumePrefix(&path, "./");
    finding.set_in_diff(IsChanged(changed, std::string(path), finding.site().line()));
    if (finding.test_input() && IsOrigin(finding) &&
        IsNearChange(changed, std::string(path), finding.site().line())) {
      finding.set_in_test(false);
      finding.set_test_input(false);
    }
  }
}

RerunCounts CountReruns(const v1::Report& report) {
  RerunCounts counts;
  counts.tests = static_cast<size_t>(report.reruns_size());
  for (const v1::Rerun& rerun : report.reruns()) counts.runs = std::max(counts.runs, rerun.runs());
  return counts;
}

std::string RerunWords(const RerunCounts& counts) {
  if (counts.tests == 0) return "";
  return absl::StrCat(counts.tests, counts.tests == 1 ? " test" : " tests", " would be decided by ",
                      counts.tests > 1 && counts.runs > 1 ? "up to " : "", counts.runs,
                      counts.runs == 1 ? " more run" : " more runs");
}

std::string RerunListCommand(const v1::Report& report) {
  // For local directories the id is a path.
  const std::string& run = report.compared().head().run_id();
  const bool is_number = !run.empty() && std::all_of(run.begin(), run.end(), absl::ascii_isdigit);
  return absl::StrCat("gprofhub rerun-list", is_number ? " " : "", is_number ? run : "");
}

namespace {

// Longer lists of options are shortened.
constexpr size_t kShownOptions = 4;

absl::string_view CompilerOf(absl::string_view name) { return name.substr(0, name.find(" -")); }

std::vector<absl::string_view> OptionsOf(absl::string_view name) {
  return absl::StrSplit(name.substr(CompilerOf(name).size()), ' ', absl::SkipEmpty());
}

std::string Side(absl::string_view name, absl::string_view other) {
  const std::vector<absl::string_view> theirs = OptionsOf(other);
  const bool same_compiler = CompilerOf(name) == CompilerOf(other);
  std::string side(CompilerOf(name));
  size_t shown = 0, more = 0;
  for (const absl::string_view option : OptionsOf(name)) {
    const bool is_level = absl::StartsWith(option, "-O");
    const bool is_new =
        same_compiler && std::find(theirs.begin(), theirs.end(), option) == theirs.end();
    if (!is_level && !is_new) continue;
    if (shown++ < kShownOptions) {
      absl::StrAppend(&side, " ", option);
    } else {
      ++more;
    }
  }
  if (more > 0) absl::StrAppend(&side, " … ", more, " more");
  return side;
}

}  // namespace

std::string ToolchainLabel(absl::string_view before, absl::string_view after) {
  return absl::StrCat(Side(before, after), " → ", Side(after, before));
}

}  // namespace gprofhub::reporter
