// The reporter's texts, numbers and names, as pieces of pages.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "page/html.h"
#include "proto/findings.pb.h"
#include "proto/query.pb.h"

namespace gprofhub::page {

// Links to a repository's files and commits on its forge.

// URL templates with the placeholders {commit}, {file} and {line}; for a range {base} and {head}.
// Empty: no such page.
struct SourceLinks {
  std::string line;
  std::string commit;
  std::string range;
  // Suffix of `range` that leads to a file: with {sha1} and {sha256} of the file's name, and
  // {line}.
  std::string range_file = {};
  // Whether `line` also has files of other repositories ("external/…").
  bool has_external = false;
  std::string pull_request = {};  // with {number}
};

using SourceLinksByProject = std::map<std::string, SourceLinks>;

// Nothing for a path that leads out of the repository ("/usr/include/…") or into another one, and
// without a commit.
std::optional<Url> LineUrl(const SourceLinks& links, absl::string_view commit,
                           absl::string_view file, uint32_t line);
std::optional<Url> CommitUrl(const SourceLinks& links, absl::string_view commit);
std::optional<Url> RangeUrl(const SourceLinks& links, absl::string_view base,
                            absl::string_view head);
// The same at a line of the file, as of the head. Without a file, or if the forge has no such
// anchors: the top of the page.
std::optional<Url> RangeUrlAt(const SourceLinks& links, absl::string_view base,
                              absl::string_view head, absl::string_view file, uint32_t line);

// "src/json.c:1841", as a link if possible. Empty without a file.
Html PlaceOf(const SourceLinks& links, absl::string_view commit, absl::string_view file,
             uint32_t line);
// "#17" for a pull request's number, as a link if possible.
Html PullRequestOf(const SourceLinks& links, absl::string_view number);
// "Parse each word once": the first line of a commit's message, or a pull request's title. Tables
// shorten it. Empty if it is.
Html SubjectOf(absl::string_view subject);
// A short commit, as a link if possible, and its subject if known.
Html CommitOf(const SourceLinks& links, absl::string_view commit, absl::string_view subject = "");

// A reporter::Quote that marks a name so that MarkedText finds it.
std::string MarkName(absl::string_view name);

// Text of the reporter, with its marked names as code.
Html MarkedText(absl::string_view text);

// A function's name, shortened; the tooltip has the full name.
Html FunctionCode(absl::string_view display);

// The first 10 digits.
std::string ShortCommit(absl::string_view commit);

// "3 hours ago"; a date if the time is more than 30 days ago, or in the future.
std::string RelativeTime(absl::Time time, absl::Time now);

// The time relative to now, in a <time> element; the tooltip has "2026-11-24 00:10 UTC". Empty
// unless it is after 1970.
Html When(int64_t unix_ms);
// "2026-11-24".
std::string DateOf(int64_t unix_ms);

// A short word on a coloured background: "better", "worse" or "neutral".
Html Badge(absl::string_view css_class, const Html& words);

// "regressed", with its CSS class; a sign accompanies the colour.
Html VerdictBadge(v1::Finding::Verdict verdict);

// A target's state: "analysed", "pending", "failed".
Html StateBadge(v1::Target::State state);

// A test's result, by Bazel's status, such as "PASSED".
Html ResultBadge(absl::string_view status);

// As in reporter/findings/text.h.
Html Count(double count);
Html Effect(const v1::Finding& finding);

// "3 side effects".
Html FollowersWords(uint64_t followers);

// Calls of the function with this linkage name as a number; a quantity with its unit.
Html CountOf(absl::string_view linkage_name, double count);

// "Calls", "Bytes", "Time": the unit of the counts of the function with this linkage name.
std::string UnitTitle(absl::string_view linkage_name);

// "calls", "bytes", "self time", "total time", "instructions".
std::string MetricWords(const v1::Finding& finding);
// `value` is the finding's before or after.
std::string ValueWords(const v1::Finding& finding, double value);

}  // namespace gprofhub::page
