#include "reporter/rendering/function_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "profile/names/demangle.h"
#include "reporter/findings/findings.h"
#include "reporter/text/numbers.h"

namespace gprofhub::reporter {
namespace {

// A change of a time that would have to be larger than this to be seen: what
// samples there are say nothing.
constexpr double kTooCoarsePercent = 200;

// More runs than this nobody makes for one function.
constexpr uint32_t kRunsWorthNaming = 100;

using FunctionOfTarget = std::pair<std::string, std::string>;  // target, function

// What a finding's kind depends on beside the finding itself.
struct Relations {
  // Functions that follow: whether from a finding that is material.
  absl::flat_hash_map<FunctionOfTarget, bool> followers;
  // Functions with a finding about an arc: whether one of them is material.
  absl::flat_hash_map<FunctionOfTarget, bool> began;
  // Targets with something to follow from.
  absl::flat_hash_set<std::string> with_cause;
};

template <typename Findings>
Relations RelationsOf(const Findings& findings) {
  Relations relations;
  for (const v1::Finding& finding : findings) {
    if (IsOrigin(finding)) {
      relations.began[{finding.target(), finding.function()}] |= finding.material();
    }
    for (const std::string& name : finding.follows()) {
      relations.followers[{finding.target(), name}] |= finding.material();
    }
    if (finding.material() && !finding.explained()) relations.with_cause.insert(finding.target());
  }
  return relations;
}

// Of a change, that is, neither of what only moved nor of what is not known to have changed.
FindingKind KindOfChange(const v1::Finding& finding, const Relations& relations) {
  const FunctionOfTarget key = {finding.target(), finding.function()};
  const bool calls = finding.metric() == v1::Finding::CALLS;
  if (calls && finding.caller().empty()) {
    const auto follower = relations.followers.find(key);
    if (follower != relations.followers.end()) {
      return follower->second ? FindingKind::kFollower : FindingKind::kMinor;
    }
  }
  if (finding.explained()) {
    return relations.with_cause.contains(finding.target()) ? FindingKind::kFollower
                                                           : FindingKind::kMinor;
  }
  // A function as a whole matters as its arcs do: the rest of it is inherited.
  const auto arcs = calls ? relations.began.find(key) : relations.began.end();
  const bool material = arcs == relations.began.end() ? finding.material() : arcs->second;
  if (!material) return FindingKind::kMinor;
  return finding.metric() == v1::Finding::TOTAL_TIME ? FindingKind::kTotalTime
                                                     : FindingKind::kCause;
}

template <typename Findings>
std::vector<FindingKind> Kinds(const Findings& findings) {
  const Relations relations = RelationsOf(findings);
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
        kinds.push_back(KindOfChange(finding, relations));
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

// Of calls of which no share of CPU is known.
bool IsUnsampled(const ChangeRow& row) {
  const v1::Finding* const calls = row.calls != nullptr ? row.calls : row.arc;
  return calls != nullptr && calls->has_share_of_calls();
}

std::string ShareWords(const ChangeRow& row) {
  double share = 0;
  for (const v1::Finding* finding : {row.calls, row.arc}) {
    if (finding != nullptr) share = std::max(share, RankingShare(*finding));
  }
  const std::string amount =
      share < 0.001 ? "less than 0.1%" : absl::StrCat("about ", HumanShare(share));
  if (!IsUnsampled(row)) return absl::StrCat(amount, " of the test's CPU");
  return absl::StrCat(amount, " of the test's calls (share of CPU not known: no samples)");
}

// What only moved, in words.
std::string ShiftWords(const v1::Shift& shift, const Quote& quote) {
  std::vector<std::string> with;
  for (int i = 0; i < shift.with_size() && i < 3; ++i) {
    with.push_back(
        quote(shift.kind() == v1::Shift::MOVED ? shift.with(i) : profile::Demangle(shift.with(i))));
  }
  if (shift.with_size() > 3) with.push_back(absl::StrCat(shift.with_size() - 3, " more"));
  const std::string names = absl::StrJoin(with, ", ");
  switch (shift.kind()) {
    case v1::Shift::RENAMED:
      return absl::StrCat("renamed, was ", names);
    case v1::Shift::MOVED:
      return absl::StrCat("moved to another file, was in ", names);
    case v1::Shift::INLINED:
      return absl::StrCat("inlined into ", names);
    case v1::Shift::OUTLINED:
      return absl::StrCat("taken out of ", names);
    case v1::Shift::SPLIT:
      return absl::StrCat("split: shares its work with ", names);
    case v1::Shift::CALLED_FROM_ELSEWHERE:
      return "called from elsewhere, as often in all";
    case v1::Shift::TIME_MOVED:
      return absl::StrCat("own time moved between it and ", names);
    default:
      return "";
  }
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
  for (const v1::Finding* finding : {row.calls, row.arc, row.self_time}) {
    if (finding == nullptr || !finding->has_shift()) continue;
    words.push_back(ShiftWords(finding->shift(), quote));
    break;
  }
  const bool same_calls = row.calls != nullptr && row.calls->before() == row.calls->after();
  if (row.calls != nullptr && !same_calls) words.push_back(CallsWords(*row.calls));
  if (row.arc != nullptr) words.push_back(ArcWords(*row.arc, row.calls, quote));
  if (row.further_arcs > 0) {
    words.push_back(absl::StrCat(row.further_arcs,
                                 row.further_arcs == 1 ? " other caller" : " other callers",
                                 " changed too"));
  }
  if (row.self_time != nullptr) words.push_back(TimeWords("own time", *row.self_time));
  if (row.total_time != nullptr) {
    words.push_back(TimeWords(row.total_time->measured() ? "time with all it calls (measured)"
                                                         : "time with all it calls (estimated)",
                              *row.total_time));
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
  if (calls != nullptr) {
    const absl::string_view exact = calls->exact() ? " (exact)" : "";
    if (calls->before() == 0) {
      words.push_back(absl::StrCat("new", exact));
    } else if (calls->before() == calls->after()) {
      words.push_back(absl::StrCat("as many calls", exact));
    } else {
      words.push_back(absl::StrCat(HumanEffect(calls->effect_percent()), " calls", exact));
    }
    if (row.kind != FindingKind::kShifted) words.push_back(ShareWords(row));
  }
  for (const v1::Finding* time : {row.self_time, row.total_time}) {
    if (time == nullptr) continue;
    if (time->verdict() == v1::Finding::CANNOT_TELL) {
      const absl::string_view which = time == row.self_time ? "own" : "total";
      const double detectable = time->detectable_percent();
      std::string unclear =
          detectable > kTooCoarsePercent
              ? absl::StrCat(which, " time: too few samples")
              : absl::StrFormat("%s time: cannot tell below ±%.0f%%", which, detectable);
      if (time->more_runs_needed() > 0 && time->more_runs_needed() <= kRunsWorthNaming) {
        absl::StrAppend(&unclear, " (", time->more_runs_needed(),
                        time->more_runs_needed() == 1 ? " more run" : " more runs",
                        " would tell ±10%)");
      }
      words.push_back(std::move(unclear));
    } else {
      words.push_back(absl::StrFormat("%s %s time (%s)", HumanEffect(time->effect_percent()),
                                      time == row.self_time ? "own" : "total",
                                      IntervalWords(*time)));
    }
  }
  return absl::StrJoin(words, ", ");
}

namespace {

const v1::Finding& WithPlace(const ChangeRow& row) {
  return row.arc != nullptr && !row.arc->site().file().empty() ? *row.arc : *row.first;
}

}  // namespace

bool InDiff(const ChangeRow& row) { return WithPlace(row).in_diff(); }

std::string PlaceOf(const ChangeRow& row) {
  const v1::Site& site = WithPlace(row).site();
  if (site.file().empty()) return "";
  return site.line() == 0 ? site.file() : absl::StrCat(site.file(), ":", site.line());
}

std::string Headline(const v1::Report& report) {
  if (!report.compared().has_base()) return "nothing to compare with yet";
  size_t costs = 0, saves = 0, unsampled = 0, minor = 0, moved = 0, unclear = 0;
  double most_cost = 0, most_saved = 0;
  bool calls_changed = false;
  for (const ChangeRow& row : GroupByFunction(report)) {
    const v1::Finding::Verdict verdict = RowVerdict(row);
    const bool less = verdict == v1::Finding::IMPROVED || verdict == v1::Finding::VANISHED;
    moved += row.kind == FindingKind::kShifted;
    unclear += row.kind == FindingKind::kCannotTell;
    minor += row.kind == FindingKind::kMinor;
    calls_changed |= row.calls != nullptr || row.arc != nullptr;
    if (row.kind != FindingKind::kCause && row.kind != FindingKind::kTotalTime) continue;
    if (IsUnsampled(row)) {
      ++unsampled;
      continue;
    }
    ++(less ? saves : costs);
    double& most = less ? most_saved : most_cost;
    most = std::max(most, ImpactOf(row));
  }
  const auto changes = [](size_t n, absl::string_view one, absl::string_view many, double most) {
    return absl::StrCat(n, n == 1 ? " change " : " changes ", n == 1 ? one : many,
                        n == 1 ? " about " : " CPU, the largest about ", HumanShare(most),
                        n == 1 ? " of a test's CPU" : " of a test's");
  };
  std::vector<std::string> parts;
  if (costs > 0) parts.push_back(changes(costs, "costs", "cost", most_cost));
  if (saves > 0) parts.push_back(changes(saves, "saves", "save", most_saved));
  if (unsampled > 0) {
    parts.push_back(absl::StrCat(unsampled, unsampled == 1 ? " change" : " changes",
                                 " of calls without a known share of CPU (no samples)"));
  }
  if (parts.empty()) {
    parts.push_back(calls_changed ? "no change that matters"
                                  : "every call count is the same as before");
  }
  if (minor > 0) {
    parts.push_back(absl::StrCat(minor, minor == 1 ? " small change" : " small changes"));
  }
  if (moved > 0) {
    parts.push_back(absl::StrCat(moved, moved == 1 ? " function" : " functions", " only moved"));
  }
  if (costs + saves == 0 && unclear > 0) {
    parts.push_back(absl::StrCat("about the time of ", unclear,
                                 unclear == 1 ? " function" : " functions",
                                 " the samples cannot tell"));
  }
  return absl::StrJoin(parts, "; ");
}

}  // namespace gprofhub::reporter
