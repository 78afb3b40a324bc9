#include "reporter/change_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "reporter/compare.h"
#include "reporter/numbers.h"
#include "reporter/time_changes.h"

namespace gprofhub {
namespace {

// Share of a test's CPU from which on the headline counts a change as one that
// matters; the default of --fail-above.
constexpr double kMatters = 0.005;

// A change of a time that would have to be larger than this to be seen: what
// samples there are say nothing.
constexpr double kTooCoarsePercent = 200;

template <typename Findings>
std::vector<FindingKind> Kinds(const Findings& findings) {
  absl::flat_hash_set<std::pair<std::string, std::string>> followers;
  for (const v1::Finding& finding : findings) {
    for (const std::string& name : finding.follows()) followers.emplace(finding.target(), name);
  }
  std::vector<FindingKind> kinds;
  for (const v1::Finding& finding : findings) {
    switch (finding.verdict()) {
      case v1::Finding::SHIFTED:
        kinds.push_back(FindingKind::kShifted);
        break;
      case v1::Finding::CANNOT_TELL:
        kinds.push_back(FindingKind::kCannotTell);
        break;
      case v1::Finding::EQUIVALENT:
        kinds.push_back(FindingKind::kEquivalent);
        break;
      default:
        if (finding.metric() == v1::Finding::TOTAL_TIME) {
          kinds.push_back(FindingKind::kTotalTime);
        } else if (finding.metric() == v1::Finding::CALLS && finding.caller().empty() &&
                   followers.contains({finding.target(), finding.function()})) {
          kinds.push_back(FindingKind::kFollower);
        } else {
          kinds.push_back(FindingKind::kCause);
        }
    }
  }
  return kinds;
}

double ImpactOf(const ChangeRow& row) {
  double impact = 0;
  for (const v1::Finding* finding : {row.calls, row.arc, row.self_time, row.total_time}) {
    if (finding != nullptr) impact = std::max(impact, finding->impact());
  }
  return impact;
}

std::string TimeWords(absl::string_view what, const v1::Finding& finding) {
  return absl::StrFormat("%s %s, was %s", what, HumanTime(finding.after(), "seconds"),
                         HumanTime(finding.before(), "seconds"));
}

std::string IntervalWords(const v1::Finding& finding) {
  return absl::StrFormat("95%%: %s to %s", HumanEffect(finding.interval_low_percent()),
                         HumanEffect(finding.interval_high_percent()));
}

std::string CallsWords(const v1::Finding& finding) {
  if (finding.before() == 0) return absl::StrCat("new: called ", HumanCount(finding.after()), "×");
  if (finding.after() == 0) {
    return absl::StrCat("no longer called, was ", HumanCount(finding.before()), "×");
  }
  std::string words =
      absl::StrCat("called ", HumanCount(finding.after()), "×, was ", HumanCount(finding.before()));
  if (!finding.exact()) words += " (differs between executions)";
  return words;
}

std::string PerCall(double count, double calls) {
  return absl::StrFormat("%.3g", calls > 0 ? count / calls : count);
}

// `calls`, if there, is what the row said of the function as a whole.
std::string ArcWords(const v1::Finding& arc, const v1::Finding* calls, const Quote& quote) {
  const std::string caller =
      arc.caller() == "<spontaneous>"
          ? "code outside the profile"
          : quote(arc.caller_display().empty() ? arc.caller() : arc.caller_display());
  const bool says_the_same =
      calls != nullptr && calls->before() == arc.before() && calls->after() == arc.after();
  const bool once = arc.caller_calls_after() <= 1 || arc.before() == 0 || arc.after() == 0;
  if (says_the_same && once) return absl::StrCat("all by ", caller);
  if (arc.verdict() == v1::Finding::NEW || arc.before() == 0) {
    return absl::StrCat(caller, " now calls it ", HumanCount(arc.after()), "×");
  }
  if (arc.verdict() == v1::Finding::VANISHED || arc.after() == 0) {
    return absl::StrCat(caller, " no longer calls it, was ", HumanCount(arc.before()), "×");
  }
  const std::string before = PerCall(arc.before(), arc.caller_calls_before());
  const std::string after = PerCall(arc.after(), arc.caller_calls_after());
  if (arc.caller_calls_after() <= 1 || before == after) {
    return absl::StrCat(caller, " calls it ", HumanCount(arc.after()), "×, was ",
                        HumanCount(arc.before()));
  }
  return absl::StrCat(caller, " calls it ", after, "× per call, was ", before);
}

}  // namespace

std::vector<FindingKind> KindsOf(const std::vector<v1::Finding>& findings) {
  return Kinds(findings);
}

std::vector<FindingKind> KindsOf(const v1::Report& report) { return Kinds(report.findings()); }

std::vector<ChangeRow> GroupByFunction(const v1::Report& report) {
  const std::vector<FindingKind> kinds = KindsOf(report);
  std::map<std::pair<FindingKind, absl::string_view>, size_t> index;
  std::vector<ChangeRow> rows;
  std::vector<std::set<std::string>> others;
  for (int i = 0; i < report.findings_size(); ++i) {
    const v1::Finding& finding = report.findings(i);
    const auto [entry, inserted] = index.try_emplace({kinds[i], finding.function()}, rows.size());
    if (inserted) {
      rows.emplace_back();
      rows.back().kind = kinds[i];
      rows.back().first = &finding;
      others.emplace_back();
    }
    ChangeRow& row = rows[entry->second];
    if (finding.target() != row.first->target()) {
      others[entry->second].insert(finding.target());
      continue;
    }
    row.follows += finding.follows_size();
    if (finding.metric() == v1::Finding::SELF_TIME) {
      row.self_time = &finding;
    } else if (finding.metric() == v1::Finding::TOTAL_TIME) {
      row.total_time = &finding;
    } else if (finding.caller().empty()) {
      row.calls = &finding;
    } else if (row.arc == nullptr) {
      row.arc = &finding;
    } else {
      ++row.further_arcs;
    }
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].other_targets.assign(others[i].begin(), others[i].end());
  }
  return rows;
}

v1::Finding::Verdict RowVerdict(const ChangeRow& row) {
  if (row.calls != nullptr) return row.calls->verdict();
  if (row.self_time != nullptr) return row.self_time->verdict();
  return row.first->verdict();
}

std::string DescribeRow(const ChangeRow& row, const Quote& quote) {
  std::vector<std::string> words;
  if (row.calls != nullptr) words.push_back(CallsWords(*row.calls));
  if (row.arc != nullptr) words.push_back(ArcWords(*row.arc, row.calls, quote));
  if (row.further_arcs > 0) {
    words.push_back(absl::StrCat(row.further_arcs,
                                 row.further_arcs == 1 ? " other caller" : " other callers",
                                 " changed too"));
  }
  if (row.self_time != nullptr) words.push_back(TimeWords("own time", *row.self_time));
  if (row.total_time != nullptr) {
    words.push_back(TimeWords("time with all it calls (estimated)", *row.total_time));
  }
  if (row.follows > 0) {
    words.push_back(absl::StrCat(row.follows, row.follows == 1 ? " function it calls follows"
                                                               : " functions below it follow"));
  }
  return absl::StrJoin(words, "; ");
}

std::string DescribeEffect(const ChangeRow& row) {
  std::vector<std::string> words;
  const v1::Finding* const calls = row.calls != nullptr ? row.calls : row.arc;
  const auto share = [](const v1::Finding& finding) {
    if (finding.impact() < 0.001) return std::string("less than 0.1% of the test's CPU");
    return absl::StrCat("about ", HumanShare(finding.impact()), " of the test's CPU");
  };
  if (calls != nullptr) {
    const absl::string_view exact = calls->exact() ? " (exact)" : "";
    if (calls->before() == 0) {
      words.push_back(absl::StrCat("new", exact));
    } else {
      words.push_back(absl::StrCat(HumanEffect(calls->effect_percent()), " calls", exact));
    }
    if (row.kind != FindingKind::kShifted) words.push_back(share(*calls));
  }
  for (const v1::Finding* time : {row.self_time, row.total_time}) {
    if (time == nullptr) continue;
    if (time->verdict() == v1::Finding::CANNOT_TELL) {
      const absl::string_view which = time == row.self_time ? "own" : "total";
      const double detectable = DetectablePercent(*time, CompareOptions());
      words.push_back(
          detectable > kTooCoarsePercent
              ? absl::StrCat(which, " time: too few samples")
              : absl::StrFormat("%s time: cannot tell below ±%.0f%%", which, detectable));
    } else {
      words.push_back(absl::StrFormat("%s %s time (%s)", HumanEffect(time->effect_percent()),
                                      time == row.self_time ? "own" : "total",
                                      IntervalWords(*time)));
    }
  }
  return absl::StrJoin(words, ", ");
}

std::string PlaceOf(const ChangeRow& row) {
  const v1::Site& site =
      (row.arc != nullptr && !row.arc->site().file().empty() ? row.arc : row.first)->site();
  if (site.file().empty()) return "";
  return site.line() == 0 ? site.file() : absl::StrCat(site.file(), ":", site.line());
}

std::string Headline(const v1::Report& report) {
  if (!report.compared().has_base()) return "nothing to compare with yet";
  size_t more = 0, less = 0, added = 0, gone = 0, elsewhere = 0, unclear = 0, matter = 0;
  for (const ChangeRow& row : GroupByFunction(report)) {
    if (row.kind == FindingKind::kShifted) ++elsewhere;
    if (row.kind == FindingKind::kCannotTell) ++unclear;
    if (row.kind != FindingKind::kCause) continue;
    matter += ImpactOf(row) >= kMatters;
    switch (RowVerdict(row)) {
      case v1::Finding::REGRESSED:
        ++more;
        break;
      case v1::Finding::IMPROVED:
        ++less;
        break;
      case v1::Finding::NEW:
        ++added;
        break;
      case v1::Finding::VANISHED:
        ++gone;
        break;
      default:
        break;
    }
  }
  const auto functions = [](size_t n) {
    return absl::StrCat(n, n == 1 ? " function" : " functions");
  };
  std::vector<std::string> parts;
  if (more > 0) parts.push_back(absl::StrCat(more, more == 1 ? " does" : " do", " more work"));
  if (less > 0) parts.push_back(absl::StrCat(less, less == 1 ? " does" : " do", " less"));
  if (added > 0) parts.push_back(absl::StrCat(added, added == 1 ? " is" : " are", " new"));
  if (gone > 0) parts.push_back(absl::StrCat(gone, gone == 1 ? " is" : " are", " gone"));
  if (parts.empty()) {
    std::string line = elsewhere > 0 ? "no function is called more or less often than before"
                                     : "every call count is the same as before";
    if (unclear > 0) {
      absl::StrAppend(&line, "; about the time of ", functions(unclear),
                      " the samples cannot tell");
    }
    return line;
  }
  return absl::StrCat(functions(more + less + added + gone),
                      " changed: ", absl::StrJoin(parts, ", "), "; ",
                      matter == 0 ? std::string("none stands")
                                  : absl::StrCat(matter, matter == 1 ? " stands" : " stand"),
                      " for 0.5% or more of a test's CPU");
}

}  // namespace gprofhub
