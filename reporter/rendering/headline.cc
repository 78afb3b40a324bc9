#include "reporter/rendering/headline.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/text.h"
#include "reporter/findings/diff_lines.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/function_rows.h"
#include "reporter/findings/text.h"
#include "reporter/rendering/row_words.h"
#include "reporter/rendering/test_summary.h"

namespace gprofhub::reporter {

namespace {

// Rows by kind.
struct RowCounts {
  Effects regressions, improvements;  // of CPU
  size_t unsampled = 0;               // material, with an unknown share of CPU
  // Material for bytes or waiting, and not for CPU time.
  size_t allocates_more = 0, allocates_less = 0, waits_more = 0, waits_less = 0;
  Effects in_test;  // of the tests' own code or input
  size_t unconfirmed = 0;
  bool calls_changed = false;
  std::vector<std::string> groups;  // descriptions of groups with inconclusive times
};

void CountRow(const FunctionRow& row, RowCounts& counts) {
  counts.calls_changed |= row.calls != nullptr || row.arc != nullptr;
  if (row.kind == FindingKind::kUnconfirmed) ++counts.unconfirmed;
  if (row.kind != FindingKind::kCause) return;
  const Direction direction = DirectionOf(row);
  if (direction == Direction::kInconclusive) {
    counts.groups.push_back(GroupHeadline(*row.first));
    return;
  }
  const bool less = direction == Direction::kSaves;
  if (CostsOnlyOtherThanCpu(row)) {
    const bool waits = row.share_of_waits >= kLeastOtherShare;
    ++(waits ? (less ? counts.waits_less : counts.waits_more)
             : (less ? counts.allocates_less : counts.allocates_more));
  } else if (IsUnsampled(row)) {
    ++counts.unsampled;
  } else if (MainFinding(row).in_test()) {
    counts.in_test.Add(row.effect_percent);
  } else {
    (less ? counts.improvements : counts.regressions).Add(row.effect_percent);
  }
}

// "1 change", "2 changes".
std::string CountAndNoun(size_t count, absl::string_view one, absl::string_view many) {
  return absl::StrCat(count, " ", count == 1 ? one : many);
}

// "2 tests slower (largest +16%)"; empty: none.
std::string TestsWords(const std::vector<TestSummary>& tests, TestVerdict verdict,
                       absl::string_view which) {
  Effects effects;
  for (const TestSummary& test : tests) {
    if (test.verdict == verdict) effects.Add(test.change_percent);
  }
  if (effects.count == 0) return "";
  return absl::StrCat(CountAndNoun(effects.count, "test ", "tests "), which,
                      effects.count == 1 ? " (" : " (largest ",
                      HumanEffect(effects.largest_percent), ")");
}

// The change of the tests' times. Of a single test, also where it is not significant.
std::string NetWords(const v1::Report& report, bool has_causes) {
  const std::vector<TestSummary> tests = SummarizeTests(report);
  if (report.compared().targets_size() == 1) {
    for (const TestSummary& test : tests) {
      const bool changed = test.verdict == TestVerdict::kSlower ||
                           test.verdict == TestVerdict::kFaster ||
                           test.verdict == TestVerdict::kUnconfirmed;
      const bool is_compared = test.target == report.compared().targets(0);
      if (is_compared && test.change_percent.has_value() && (changed || has_causes)) {
        return VerdictWords(test);
      }
    }
    return "";
  }
  std::vector<std::string> parts = {TestsWords(tests, TestVerdict::kSlower, "slower"),
                                    TestsWords(tests, TestVerdict::kFaster, "faster"),
                                    TestsWords(tests, TestVerdict::kUnconfirmed, "unconfirmed")};
  parts.erase(std::remove(parts.begin(), parts.end(), ""), parts.end());
  return absl::StrJoin(parts, ", ");
}

// "1 improvement (−20%), 1 regression (+1.8%)".
std::string CausesWords(const RowCounts& counts, absl::string_view net) {
  std::vector<std::string> parts = {EffectsWords(counts.regressions, "regression"),
                                    EffectsWords(counts.improvements, "improvement")};
  if (absl::StartsWith(net, kMinus)) std::swap(parts[0], parts[1]);
  parts.erase(std::remove(parts.begin(), parts.end(), ""), parts.end());
  return absl::StrJoin(parts, ", ");
}

std::string HeadlineOfChanges(const v1::Report& report) {
  if (!report.compared().has_base()) return "no baseline: nothing to compare with yet";
  std::string nothing = NothingComparedWords(report.compared());
  if (!nothing.empty()) return nothing;
  RowCounts counts;
  for (const FunctionRow& row : GroupByFunction(report)) CountRow(row, counts);
  std::vector<std::string> others = counts.groups;
  for (const auto& [count, one, many] :
       {std::tuple(counts.allocates_more, "change allocates more", "changes allocate more"),
        std::tuple(counts.allocates_less, "change allocates less", "changes allocate less"),
        std::tuple(counts.waits_more, "change waits more often", "changes wait more often"),
        std::tuple(counts.waits_less, "change waits less often", "changes wait less often"),
        std::tuple(counts.unsampled, "change of calls without a known share of CPU (no samples)",
                   "changes of calls without a known share of CPU (no samples)")}) {
    if (count > 0) others.push_back(CountAndNoun(count, one, many));
  }
  if (counts.in_test.count > 0) {
    others.push_back(
        absl::StrCat(EffectsWords(counts.in_test, "change"), " of the tests' own code or input"));
  }
  const bool has_causes = counts.regressions.count + counts.improvements.count + others.size() > 0;
  const std::string net = NetWords(report, has_causes);
  const std::string causes = CausesWords(counts, net);
  std::vector<std::string> parts;
  if (!net.empty() || !causes.empty()) {
    parts.push_back(absl::StrCat(net, net.empty() || causes.empty() ? "" : ": ", causes));
  }
  parts.insert(parts.end(), others.begin(), others.end());
  if (counts.unconfirmed > 0) {
    parts.push_back(CountAndNoun(counts.unconfirmed, "unconfirmed change", "unconfirmed changes"));
  }
  if (parts.empty()) {
    parts.push_back("no significant change");
    if (!counts.calls_changed) {
      parts.push_back("every call count of code built with -pg is the same as before");
    }
  }
  const std::string left_out = NotComparedWords(report.compared());
  if (!left_out.empty()) parts.push_back(left_out);
  return absl::StrJoin(parts, "; ");
}

// Bazel's compilation modes without optimisation, which are part of the configuration's name.
std::string UnoptimisedWords(absl::string_view configuration) {
  for (const absl::string_view part : absl::StrSplit(configuration, '-')) {
    if (part == "fastbuild" || part == "dbg") {
      return absl::StrCat("; the tests were built without optimisation (-c ", part, ")");
    }
  }
  return "";
}

}  // namespace

std::string Headline(const v1::Report& report) {
  std::string headline = HeadlineOfChanges(report);
  headline[0] = absl::ascii_toupper(static_cast<unsigned char>(headline[0]));
  return absl::StrCat(headline, UnoptimisedWords(report.compared().configuration()));
}

// The words for rows of each kind, in the order of the sentence.
struct RowNoun {
  FindingKind kind;
  absl::string_view one, many;
  Direction direction = Direction::kCosts;  // of causes only
};
constexpr RowNoun kRowNouns[] = {
    {FindingKind::kCause, "further regression", "further regressions"},
    {FindingKind::kCause, "inconclusive change", "inconclusive changes", Direction::kInconclusive},
    {FindingKind::kCause, "improvement", "improvements", Direction::kSaves},
    {FindingKind::kUnconfirmed, "unconfirmed change", "unconfirmed changes"},
    {FindingKind::kFollower, "side effect", "side effects"},
    {FindingKind::kTotalTime, "total time", "total times"},
    {FindingKind::kMinor, "small change", "small changes"},
    {FindingKind::kShifted, "function moved, same cost", "functions moved, same cost"},
    {FindingKind::kEquivalent, "time shown to be the same", "times shown to be the same"},
    {FindingKind::kFolded, "function that is part of the changes above",
     "functions that are part of the changes above"},
    {FindingKind::kChance, "count that differs by chance", "counts that differ by chance"},
    {FindingKind::kCannotTell, "inconclusive time", "inconclusive times"},
};

std::string OtherRows(const std::vector<const FunctionRow*>& rows) {
  std::map<std::pair<FindingKind, Direction>, size_t> counts;
  double least_seen = std::numeric_limits<double>::infinity();
  for (const FunctionRow* row : rows) {
    const bool is_cause = row->kind == FindingKind::kCause;
    ++counts[{row->kind, is_cause ? DirectionOf(*row) : Direction::kCosts}];
    const double detectable = row->first->detectable_percent();
    if (row->kind == FindingKind::kCannotTell && detectable > 0) {
      least_seen = std::min(least_seen, detectable);
    }
  }
  std::vector<std::string> parts;
  for (const RowNoun& noun : kRowNouns) {
    const size_t count = counts[{noun.kind, noun.direction}];
    if (count > 0) parts.push_back(CountAndNoun(count, noun.one, noun.many));
  }
  if (least_seen <= kTooCoarsePercent) {
    absl::StrAppendFormat(&parts.back(), " (smallest detectable change: %.0f%%)", least_seen);
  }
  return absl::StrJoin(parts, ", ");
}

namespace {

constexpr size_t kHeadlineTargetCharacters = 60;

}  // namespace

std::vector<std::string> NotesOf(const v1::Report& report, const Quote& quote, size_t most) {
  std::vector<std::string> notes;
  for (const auto& [reason, targets] : NotComparedByReason(report.compared())) {
    const size_t others = targets.size() - 1;
    notes.push_back(absl::StrCat(
        "not compared: ", quote(base::Shortened(targets.front(), kHeadlineTargetCharacters)),
        others > 0 ? absl::StrCat(" and ", others, " more") : "", ": ",
        quote(FirstClauses(reason, kNoteCharacters - kHeadlineTargetCharacters))));
  }
  if (const std::string more = RerunWords(CountReruns(report)); !more.empty()) {
    notes.push_back(absl::StrCat(more, ": ", quote(RerunListCommand(report))));
  }
  for (const std::string& warning : report.warnings()) {
    notes.push_back(absl::StrCat("note: ", quote(FirstClauses(warning))));
  }
  most = std::max<size_t>(most, 1);
  if (notes.size() > most) {
    const size_t more = notes.size() - most + 1;
    notes.resize(most - 1);
    notes.push_back(notes.empty() ? absl::StrCat(more, " notes")
                                  : absl::StrCat("and ", more, " more notes"));
  }
  return notes;
}

}  // namespace gprofhub::reporter
