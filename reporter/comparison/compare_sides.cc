#include "reporter/comparison/compare_sides.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/median.h"
#include "base/utf8.h"
#include "profile/computed.h"
#include "profile/names/demangle.h"
#include "reporter/comparison/choose_reruns.h"
#include "reporter/comparison/group_findings.h"
#include "reporter/comparison/machine_kinds.h"
#include "reporter/comparison/mark_test_code.h"
#include "reporter/comparison/note_varying_counts.h"
#include "reporter/comparison/rank_findings.h"
#include "reporter/comparison/tiny_targets.h"
#include "reporter/counts/cost_shifts.h"
#include "reporter/counts/count_history.h"
#include "reporter/counts/judge_calls.h"
#include "reporter/findings/findings.h"
#include "reporter/matching/match_target.h"
#include "reporter/times/judge_times.h"
#include "reporter/times/measure_times.h"
#include "reporter/times/time_findings.h"

namespace gprofhub::reporter {
namespace {

// What is kept of a target until the times of all are judged together.
struct TargetWork {
  std::string label;
  MatchedTarget matched;
  TargetTotals totals;
  double samples_per_second = 0;  // 0: not sampled in seconds
  CallJudgement calls;
  TargetTimes times;
  TargetGroups groups;
};

using Targets = std::map<std::string, std::vector<profile::ComputedProfile>>;

void SetTimes(const Targets& targets, v1::Compared::Side& side) {
  double samples = 0;
  double measured = 0;
  double overhead = 0;
  double seconds = 0;
  size_t runs = 0;
  for (const auto& [label, profiles] : targets) {
    runs = std::max(runs, profiles.size());
    for (const profile::ComputedProfile& profile : profiles) {
      samples += profile.total_samples;
      measured += profile.complete_stack_samples;
      if (profile.sample_rate <= 0) continue;
      overhead += profile.overhead_samples / profile.sample_rate;
      seconds += profile.total_samples / profile.sample_rate;
    }
  }
  side.set_total_seconds(seconds);
  if (samples > 0) side.set_measured_share(std::min(1.0, measured / samples));
  side.set_overhead_seconds(overhead);
  side.set_runs(static_cast<uint32_t>(runs));
}

size_t WindowRuns(const ComparisonSide& base) {
  size_t runs = 0;
  for (const auto& [label, profiles] : base.window) runs = std::max(runs, profiles.size());
  return runs;
}

double TotalSamples(const std::vector<profile::ComputedProfile>& profiles) {
  double samples = 0;
  for (const profile::ComputedProfile& profile : profiles) samples += profile.total_samples;
  return samples;
}

// The dimension that all were sampled in; empty: they differ, or one was not sampled.
std::string CommonDimension(const std::vector<profile::ComputedProfile>& before,
                            const std::vector<profile::ComputedProfile>& after) {
  const std::string& dimension = before.front().dimension;
  for (const auto* side : {&before, &after}) {
    for (const profile::ComputedProfile& profile : *side) {
      if (profile.dimension != dimension || profile.sample_rate <= 0) return "";
    }
  }
  return dimension;
}

void CopyWarnings(const std::vector<profile::ComputedProfile>& profiles, absl::string_view side,
                  const std::string& label, v1::Report& report) {
  std::set<std::string> said;
  for (const profile::ComputedProfile& profile : profiles) {
    for (const std::string& warning : profile.warnings) {
      if (!said.insert(warning).second) continue;
      report.add_warnings(absl::StrCat(label, " (", side, "): ", base::ToUtf8(warning)));
    }
  }
}

// The targets' common factor of machine speed: their median.
void SetSpeed(const std::vector<TargetWork>& works, v1::Report& report) {
  std::vector<double> factors;
  for (const TargetWork& work : works) {
    if (work.times.speed_known) factors.push_back(work.times.speed_factor);
  }
  if (factors.empty()) return;
  report.mutable_compared()->set_machine_speed_factor(base::Median(std::move(factors)));
}

// Targets whose times are not compared with the base's own, on another kind of machine.
struct OtherMachines {
  std::set<std::string> incomparable;
  std::set<std::string> on_older_runs;
};

double SamplesPerSecond(const std::vector<profile::ComputedProfile>& profiles) {
  const profile::ComputedProfile& first = profiles.front();
  return first.dimension == "seconds" ? first.sample_rate : 0;
}

// All but the verdicts, which are judged over all targets together.
TargetWork WorkOn(const std::string& label, const ComparisonSide& base, const ComparisonSide& head,
                  const CompareOptions& options, OtherMachines& others, v1::Report& report) {
  const std::vector<profile::ComputedProfile>& before = base.targets.at(label);
  const std::vector<profile::ComputedProfile>& after = head.targets.at(label);
  TargetWork work;
  work.label = label;
  const absl::string_view machine = HeadMachine(head, label);
  std::vector<profile::ComputedProfile> window = ComparableWindow(base, label, machine);
  work.matched = MatchTarget(before, after, window);
  if (ForgetOtherMachines(base, label, machine, work.matched) == before.size()) {
    (window.empty() ? others.incomparable : others.on_older_runs).insert(label);
  }
  ApplyCountHistory(HistoryOf(base, label), work.matched);
  work.totals = {TotalSamples(before), TotalSamples(after)};
  work.samples_per_second = SamplesPerSecond(after);
  const bool has_times = !CommonDimension(before, after).empty();
  work.groups = FindGroups(work.matched, before, window, after, has_times, options.time);
  if (has_times) {
    work.times = MeasureTimes(work.matched, before, window, after, options.time);
  } else if (before.front().dimension != after.front().dimension) {
    report.add_warnings(absl::StrCat(
        label, ": the base was sampled in ", base::ToUtf8(before.front().dimension),
        ", the head in ", base::ToUtf8(after.front().dimension), "; times are not compared"));
  }
  CopyWarnings(before, "base", label, report);
  CopyWarnings(after, "head", label, report);
  return work;
}

// Judges the calls of all targets: what differs by chance in one is noise in the others, and what a
// call costs is known from all of them.
void JudgeCallsOfAll(double minimum_impact, std::vector<TargetWork>& works) {
  CallCosts costs;
  for (const TargetWork& work : works) costs.Add(work.matched);
  std::vector<CallJudge> judges;
  judges.reserve(works.size());
  NoisyFunctions noisy;
  for (const TargetWork& work : works) {
    judges.emplace_back(work.matched, work.totals, costs, minimum_impact);
    judges.back().AddNoise(noisy);
  }
  std::vector<JudgedTarget> judged;
  for (size_t i = 0; i < works.size(); ++i) {
    TargetWork& work = works[i];
    work.calls = judges[i].Run(noisy, FindCostShifts(work.matched));
    judged.push_back(
        {&work.label, &work.matched, work.totals, work.samples_per_second, &work.calls.findings});
  }
  JudgeTinyTargets(judged, minimum_impact);
}

// The target's findings, complete. What it holds of the work is taken out.
std::vector<v1::Finding> TakeFindings(TargetWork& work, const TimeOptions& options) {
  std::vector<v1::Finding> findings = std::move(work.calls.findings);
  for (v1::Finding& finding :
       TimeFindings(work.matched, work.times, work.totals, work.calls, options)) {
    findings.push_back(std::move(finding));
  }
  MarkTestCode(findings);
  FoldGroups(work.matched, work.groups, work.totals, options, findings);
  for (v1::Finding& finding : findings) {
    finding.set_target(work.label);
    finding.set_function_display(profile::Demangle(finding.function()));
    finding.set_caller_display(profile::Demangle(finding.caller()));
    MakeNamesText(finding);
  }
  return findings;
}

}  // namespace

v1::Report CompareSides(const ComparisonSide& base, const ComparisonSide& head,
                        const CompareOptions& options) {
  v1::Report report;
  v1::Compared& compared = *report.mutable_compared();
  *compared.mutable_base() = base.about;
  *compared.mutable_head() = head.about;
  SetTimes(base.targets, *compared.mutable_base());
  SetTimes(head.targets, *compared.mutable_head());
  compared.set_window_runs(static_cast<uint32_t>(WindowRuns(base)));
  for (const auto& [label, profiles] : base.targets) {
    if (!head.targets.contains(label)) compared.add_vanished_targets(label);
  }

  OtherMachines others;
  std::vector<TargetWork> works;
  for (const auto& [label, profiles] : head.targets) {
    if (!base.targets.contains(label)) {
      compared.add_new_targets(label);
      continue;
    }
    compared.add_targets(label);
    works.push_back(WorkOn(label, base, head, options, others, report));
  }
  JudgeCallsOfAll(options.minimum_impact, works);
  NoteOtherMachines(others.incomparable.size(), others.on_older_runs.size(), report);
  std::vector<TargetTimes*> times;
  for (TargetWork& work : works) times.push_back(&work.times);
  JudgeTimes(times, options.time);
  SetSpeed(works, report);

  std::vector<v1::Finding> findings;
  absl::flat_hash_set<std::string> functions;
  for (TargetWork& work : works) {
    for (v1::Finding& finding : TakeFindings(work, options.time)) {
      findings.push_back(std::move(finding));
    }
    compared.set_arcs(compared.arcs() + work.matched.arcs.size());
    for (FunctionPair& function : work.matched.functions) {
      if (!function.name.empty()) functions.insert(std::move(function.name));
    }
    work.matched = MatchedTarget();
  }
  NoteVaryingCounts(findings, report);
  compared.set_functions(functions.size());
  RankFindings(std::move(findings), report);
  AddReruns(head, report);
  return report;
}

}  // namespace gprofhub::reporter
