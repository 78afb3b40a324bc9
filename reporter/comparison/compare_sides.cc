#include "reporter/comparison/compare_sides.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "base/median.h"
#include "base/two_workers.h"
#include "profile/names/demangle.h"
#include "reporter/comparison/choose_reruns.h"
#include "reporter/comparison/group_findings.h"
#include "reporter/comparison/machine_kinds.h"
#include "reporter/comparison/mark_test_code.h"
#include "reporter/comparison/note_varying_counts.h"
#include "reporter/comparison/rank_findings.h"
#include "reporter/comparison/target_part.h"
#include "reporter/comparison/tiny_targets.h"
#include "reporter/counts/judge_calls.h"
#include "reporter/findings/findings.h"
#include "reporter/shifts/cost_shifts.h"
#include "reporter/times/judge_times.h"
#include "reporter/times/time_findings.h"

namespace gprofhub::reporter {
namespace {

void SetTimes(const SideTimes& times, v1::Compared::Side& side) {
  side.set_total_seconds(times.seconds);
  if (times.samples > 0) side.set_measured_share(std::min(1.0, times.measured / times.samples));
  side.set_overhead_seconds(times.overhead);
  side.set_runs(static_cast<uint32_t>(times.runs));
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
  base::ForBothHalves(works.size(), 2, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      works[i].calls = judges[i].Run(noisy, FindCostShifts(works[i].matched));
    }
  });
  std::vector<JudgedTarget> judged;
  for (TargetWork& work : works) {
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

// The targets' parts, put together.
class Comparison {
 public:
  explicit Comparison(const AboutSides& about) {
    *compared_.mutable_base() = about.base;
    *compared_.mutable_head() = about.head;
  }

  // In the order of the labels.
  void Add(TargetPart&& part) {
    base_.Add(part.base);
    head_.Add(part.head);
    window_runs_ = std::max(window_runs_, part.window_runs);
    if (part.head_runs.runs > 0) head_runs_[part.label] = part.head_runs;
    if (part.work.has_value()) {
      compared_.add_targets(part.label);
      works_.push_back(*std::move(part.work));
    } else if (part.head.runs > 0) {
      compared_.add_new_targets(part.label);
    } else if (part.base.runs > 0) {
      compared_.add_vanished_targets(part.label);
    }
    on_older_runs_ += part.on_older_runs;
    incomparable_ += part.incomparable;
    for (std::string& warning : part.warnings) report_.add_warnings(std::move(warning));
  }

  v1::Report Judge(const CompareOptions& options) {
    SetTimes(base_, *compared_.mutable_base());
    SetTimes(head_, *compared_.mutable_head());
    compared_.set_window_runs(static_cast<uint32_t>(window_runs_));
    JudgeCallsOfAll(options.minimum_impact, works_);
    NoteOtherMachines(incomparable_, on_older_runs_, report_);
    std::vector<TargetTimes*> times;
    for (TargetWork& work : works_) times.push_back(&work.times);
    JudgeTimes(times, options.time);
    SetSpeed(works_, report_);

    std::vector<std::vector<v1::Finding>> taken(works_.size());
    base::ForBothHalves(works_.size(), 2, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) taken[i] = TakeFindings(works_[i], options.time);
    });
    std::vector<v1::Finding> findings;
    for (std::vector<v1::Finding>& of_target : taken) {
      std::move(of_target.begin(), of_target.end(), std::back_inserter(findings));
    }
    absl::flat_hash_set<std::string> functions;
    for (TargetWork& work : works_) {
      compared_.set_arcs(compared_.arcs() + work.matched.arcs.size());
      for (FunctionPair& function : work.matched.functions) {
        if (!function.name.empty()) functions.insert(std::move(function.name));
      }
      work.matched = MatchedTarget();
    }
    NoteVaryingCounts(findings, report_);
    compared_.set_functions(functions.size());
    RankFindings(std::move(findings), report_);
    AddReruns(head_runs_, report_);
    return std::move(report_);
  }

 private:
  v1::Report report_;
  v1::Compared& compared_ = *report_.mutable_compared();
  SideTimes base_, head_;
  size_t window_runs_ = 0;
  std::map<std::string, HeadRuns> head_runs_;
  std::vector<TargetWork> works_;
  size_t incomparable_ = 0;
  size_t on_older_runs_ = 0;
};

}  // namespace

v1::Report CompareSides(const ComparisonSide& base, const ComparisonSide& head,
                        const CompareOptions& options) {
  std::set<std::string> labels;
  for (const auto* side : {&base, &head}) {
    for (const auto& [label, profiles] : side->targets) labels.insert(label);
  }
  Comparison comparison({base.about, head.about});
  for (const std::string& label : labels) comparison.Add(PartOf(label, base, head, options.time));
  return comparison.Judge(options);
}

absl::StatusOr<v1::Report> CompareTargets(
    const std::vector<std::string>& labels, const AboutSides& about,
    const std::function<absl::StatusOr<SidesOfTarget>(const std::string& label)>& read,
    const CompareOptions& options) {
  Comparison comparison(about);
  absl::Status status;
  base::WorkInOrder(labels.size(), [&](base::OrderedItems& items) {
    while (const std::optional<size_t> item = items.Take()) {
      absl::StatusOr<TargetPart> part = absl::UnknownError("not read");
      {
        const absl::StatusOr<SidesOfTarget> sides = read(labels[*item]);
        part = sides.ok() ? PartOf(labels[*item], sides->base, sides->head, options.time)
                          : absl::StatusOr<TargetPart>(sides.status());
      }
      items.WaitForTurn(*item);
      status.Update(part.status());
      if (status.ok()) {
        comparison.Add(*std::move(part));
      } else {
        items.Stop();
      }
      items.EndTurn(*item);
    }
  });
  if (!status.ok()) return status;
  return comparison.Judge(options);
}

}  // namespace gprofhub::reporter
