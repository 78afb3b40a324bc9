#include "reporter/rendering/headline.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/text.h"
#include "reporter/findings/diff_lines.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/text.h"
#include "reporter/rendering/function_rows.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::reporter {

namespace {

// Number of rows by kind.
struct RowCounts {
  size_t costs = 0;
  size_t saves = 0;
  size_t unsampled = 0;  // material, with an unknown share of CPU
  // Material for bytes or waiting, and not for CPU time.
  size_t allocates_more = 0, allocates_less = 0, waits_more = 0, waits_less = 0;
  double most_cost = 0;  // share of CPU of the largest
  double most_saved = 0;
  bool calls_changed = false;
  std::vector<std::string> groups;  // descriptions of groups with inconclusive times
};

void CountRow(const FunctionRow& row, RowCounts& counts) {
  counts.calls_changed |= row.calls != nullptr || row.arc != nullptr;
  if (row.kind != FindingKind::kCause && row.kind != FindingKind::kTotalTime) return;
  if (IsGroup(*row.first) && !row.first->material()) {
    counts.groups.push_back(GroupHeadline(*row.first));
    return;
  }
  const v1::Finding::Verdict verdict = RowVerdict(row);
  const bool less = verdict == v1::Finding::IMPROVED || verdict == v1::Finding::VANISHED;
  if (CostsOnlyOtherThanCpu(row)) {
    const bool waits = row.share_of_waits >= kLeastOtherShare;
    ++(waits ? (less ? counts.waits_less : counts.waits_more)
             : (less ? counts.allocates_less : counts.allocates_more));
    return;
  }
  if (IsUnsampled(row)) {
    ++counts.unsampled;
    return;
  }
  ++(less ? counts.saves : counts.costs);
  double& most = less ? counts.most_saved : counts.most_cost;
  most = std::max(most, row.share);
}

// "1 change costs about 3% of a test's CPU".
std::string CostWords(size_t count, absl::string_view one, absl::string_view many, double most) {
  if (count == 1)
    return absl::StrCat("1 change ", one, " about ", HumanShare(most), " of a test's CPU");
  return absl::StrCat(count, " changes ", many, " CPU, the largest about ", HumanShare(most),
                      " of a test's");
}

// "1 change", "2 changes".
std::string CountAndNoun(size_t count, absl::string_view one, absl::string_view many) {
  return absl::StrCat(count, " ", count == 1 ? one : many);
}

// Targets whose total CPU time changed in one direction, and the one that changed most.
struct Totals {
  size_t targets = 0;
  double most_percent = 0;
};

// A function with nearly all of a target's samples represents the whole target. Weights include
// pseudo-samples, so they do not reach 1.
constexpr double kWholeTarget = 0.8;

// A target's total time is that of the function with the largest weight: its entry.
void CountTotals(const v1::Report& report, Totals& slower, Totals& faster) {
  std::map<absl::string_view, const v1::Finding*> entries;
  for (const v1::Finding& finding : report.findings()) {
    if (finding.metric() != v1::Finding::TOTAL_TIME || finding.weight() < kWholeTarget) continue;
    const v1::Finding*& entry = entries[finding.target()];
    if (entry == nullptr || finding.weight() > entry->weight()) entry = &finding;
  }
  for (const auto& [target, entry] : entries) {
    const bool more = entry->verdict() == v1::Finding::REGRESSED;
    if (!more && entry->verdict() != v1::Finding::IMPROVED) continue;
    Totals& totals = more ? slower : faster;
    ++totals.targets;
    totals.most_percent = std::max(totals.most_percent, std::fabs(entry->effect_percent()));
  }
}

// "in all, a test's CPU time grew by 43%".
std::string TotalWords(const Totals& totals, absl::string_view verb) {
  const std::string percent =
      absl::StrFormat("%.*f%%", totals.most_percent < 9.95 ? 1 : 0, totals.most_percent);
  if (totals.targets == 1) return absl::StrCat("in all, a test's CPU time ", verb, " by ", percent);
  return absl::StrCat("in all, the CPU time of ", totals.targets, " tests ", verb, ", the most by ",
                      percent);
}

std::string HeadlineOfChanges(const v1::Report& report) {
  if (!report.compared().has_base()) return "nothing to compare with yet";
  std::string nothing = NothingComparedWords(report.compared());
  if (!nothing.empty()) return nothing;
  RowCounts counts;
  for (const FunctionRow& row : GroupByFunction(report)) CountRow(row, counts);
  std::vector<std::string> parts;
  if (counts.costs > 0) parts.push_back(CostWords(counts.costs, "costs", "cost", counts.most_cost));
  if (counts.saves > 0)
    parts.push_back(CostWords(counts.saves, "saves", "save", counts.most_saved));
  parts.insert(parts.end(), counts.groups.begin(), counts.groups.end());
  for (const auto& [count, one, many] :
       {std::tuple(counts.allocates_more, "change allocates more", "changes allocate more"),
        std::tuple(counts.allocates_less, "change allocates less", "changes allocate less"),
        std::tuple(counts.waits_more, "change waits more often", "changes wait more often"),
        std::tuple(counts.waits_less, "change waits less often", "changes wait less often")}) {
    if (count > 0) parts.push_back(CountAndNoun(count, one, many));
  }
  if (counts.unsampled > 0) {
    parts.push_back(absl::StrCat(CountAndNoun(counts.unsampled, "change", "changes"),
                                 " of calls without a known share of CPU (no samples)"));
  }
  if (parts.empty()) {
    parts.push_back(counts.calls_changed
                        ? "no change that matters"
                        : "every call count of code built with -pg is the same as before");
  }
  Totals slower, faster;
  CountTotals(report, slower, faster);
  if (slower.targets > 0) parts.push_back(TotalWords(slower, "grew"));
  if (faster.targets > 0) parts.push_back(TotalWords(faster, "fell"));
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
  return absl::StrCat(HeadlineOfChanges(report),
                      UnoptimisedWords(report.compared().configuration()));
}

// The words for rows of each kind, in the order of the sentence.
struct RowNoun {
  FindingKind kind;
  bool less;  // whether it costs less; of causes only
  absl::string_view one, many;
};
constexpr RowNoun kRowNouns[] = {
    {FindingKind::kCause, false, "further change that costs more",
     "further changes that cost more"},
    {FindingKind::kCause, true, "change that costs less", "changes that cost less"},
    {FindingKind::kFollower, false, "function that follows from the changes",
     "functions that follow from the changes"},
    {FindingKind::kTotalTime, false, "time with everything called", "times with everything called"},
    {FindingKind::kMinor, false, "small change", "small changes"},
    {FindingKind::kShifted, false, "function that only moved", "functions that only moved"},
    {FindingKind::kEquivalent, false, "time shown to be the same", "times shown to be the same"},
    {FindingKind::kFolded, false, "function that is part of the changes above",
     "functions that are part of the changes above"},
    {FindingKind::kChance, false, "count that differs by chance", "counts that differ by chance"},
};

std::string OtherRows(const std::vector<const FunctionRow*>& rows) {
  std::map<std::pair<FindingKind, bool>, size_t> counts;
  double least_seen = std::numeric_limits<double>::infinity();
  for (const FunctionRow* row : rows) {
    const v1::Finding::Verdict verdict = RowVerdict(*row);
    const bool less = row->kind == FindingKind::kCause &&
                      (verdict == v1::Finding::IMPROVED || verdict == v1::Finding::VANISHED);
    ++counts[{row->kind, less}];
    const double detectable = row->first->detectable_percent();
    if (row->kind == FindingKind::kCannotTell && detectable > 0) {
      least_seen = std::min(least_seen, detectable);
    }
  }
  std::vector<std::string> parts;
  for (const RowNoun& noun : kRowNouns) {
    const size_t count = counts[{noun.kind, noun.less}];
    if (count > 0) parts.push_back(CountAndNoun(count, noun.one, noun.many));
  }
  if (const size_t unclear = counts[{FindingKind::kCannotTell, false}]; unclear > 0) {
    parts.push_back(absl::StrCat("cannot tell about the time of ",
                                 CountAndNoun(unclear, "function", "functions")));
    if (least_seen <= kTooCoarsePercent) {
      absl::StrAppendFormat(&parts.back(), " (the least change that would have been seen: %.0f%%)",
                            least_seen);
    }
  }
  return absl::StrJoin(parts, ", ");
}

namespace {

constexpr size_t kHeadlineNoteCharacters = 90;
constexpr size_t kHeadlineTargetCharacters = 45;

}  // namespace

std::vector<std::string> NotesOf(const v1::Report& report, const Quote& quote, size_t most) {
  std::vector<std::string> notes;
  for (const auto& [reason, targets] : NotComparedByReason(report.compared())) {
    const size_t others = targets.size() - 1;
    notes.push_back(absl::StrCat(
        "not compared: ", quote(base::Shortened(targets.front(), kHeadlineTargetCharacters)),
        others > 0 ? absl::StrCat(" and ", others, " more") : "", ": ",
        quote(base::Shortened(reason, kHeadlineNoteCharacters))));
  }
  if (const std::string more = RerunWords(CountReruns(report)); !more.empty()) {
    notes.push_back(absl::StrCat(more, ": ", quote(RerunListCommand(report))));
  }
  for (const std::string& warning : report.warnings()) {
    notes.push_back(
        absl::StrCat("note: ", quote(base::Shortened(warning, kHeadlineNoteCharacters))));
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
