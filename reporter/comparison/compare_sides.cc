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
#include "absl/types/span.h"
#include "base/median.h"
#include "base/two_workers.h"
#include "base/utf8.h"
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
#include "reporter/times/findings/describe_time.h"
#include "reporter/times/findings/time_findings.h"
#include "reporter/times/judge_times.h"

namespace gprofhub::reporter {
namespace {

void SetTimes(const SideTimes& times, v1::Compared::Side& side) {
  side.set_total_seconds(times.seconds);
  if (times.samples > 0) side.set_measured_share(std::min(1.0, times.measured / times.samples));
  side.set_overhead_seconds(times.overhead);
  side.set_runs(static_cast<uint32_t>(times.runs));
}

// The common machine speed factor of all targets: their median.
void SetSpeed(const std::vector<TargetWork>& works, v1::Report& report) {
  std::vector<double> factors;
  for (const TargetWork& work : works) {
    if (work.times.speed_known) factors.push_back(work.times.speed_factor);
  }
  if (factors.empty()) return;
  report.mutable_compared()->set_machine_speed_factor(base::Median(std::move(factors)));
}

// Judges the calls of all targets: a function that varies by chance in one target is noise in the
// others, and the cost of a call is estimated over all of them.
void JudgeCallsOfAll(double minimum_impact, std::vector<TargetWork>& works) {
  CallCosts costs(std::any_of(works.begin(), works.end(),
                              [](const TargetWork& work) { return work.totals.IsTiny(); }));
  for (const TargetWork& work : works) costs.Add(work.matched);
  std::vector<std::optional<CallJudge>> judges(works.size());
  NoisyFunctions noisy, noisy_in_second_half;
  base::ForBothHalves(works.size(), 2, [&](size_t begin, size_t end) {
    NoisyFunctions& of_half = begin == 0 ? noisy : noisy_in_second_half;
    for (size_t i = begin; i < end; ++i) {
      judges[i].emplace(works[i].matched, works[i].totals, costs, minimum_impact);
      judges[i]->AddNoise(of_half);
    }
  });
  noisy.merge(noisy_in_second_half);
  base::ForBothHalves(works.size(), 2, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      works[i].calls = judges[i]->Run(noisy, FindCostShifts(works[i].matched));
      judges[i].reset();
    }
  });
  std::vector<JudgedTarget> judged;
  for (TargetWork& work : works) {
    judged.push_back(
        {&work.label, &work.matched, work.totals, work.samples_per_second, &work.calls.findings});
  }
  JudgeTinyTargets(judged, minimum_impact);
}

// Fills in the fields for display.
void Complete(const std::string& label, v1::Finding& finding) {
  finding.set_target(label);
  finding.set_function_display(profile::Demangle(finding.function()));
  finding.set_caller_display(profile::Demangle(finding.caller()));
  MakeNamesText(finding);
}

JudgedTimes JudgedTimesOf(const TargetWork& work, const TimeOptions& options) {
  return {work.matched, work.times, work.totals, work.calls, options};
}

// Describes an unchanged or inconclusive time and completes its finding.
v1::Finding DescribeQuiet(const TargetWork& work, const FunctionTime& time,
                          const TimeOptions& options) {
  v1::Finding finding = DescribeTime(JudgedTimesOf(work, options), time);
  MarkTestCode({&finding, 1});
  Complete(work.label, finding);
  return finding;
}

struct TargetFindings {
  std::vector<v1::Finding> complete;
  std::vector<QuietTime> quiet;
};

// Moves the findings out of `work`.
TargetFindings TakeFindings(TargetWork& work, const CompareOptions& options) {
  TargetFindings findings;
  findings.complete = std::move(work.calls.findings);
  const JudgedTimes judged = JudgedTimesOf(work, options.time);
  TimesFound times = FindTimes(judged);
  for (v1::Finding& finding : times.findings) findings.complete.push_back(std::move(finding));
  // Unchanged and inconclusive times are folded under groups, too, so their names must be owned
  // here.
  const bool has_groups = HasGroups(work.matched, work.groups);
  for (const QuietTime& quiet : times.quiet) {
    if (has_groups || !base::IsUtf8(quiet.time->name)) {
      findings.complete.push_back(DescribeTime(judged, *quiet.time));
    } else if (options.tell_quiet_times) {
      findings.quiet.push_back(quiet);
    }
  }
  MarkTestCode(absl::MakeSpan(findings.complete));
  FoldGroups(work.matched, work.groups, work.totals, options.time, findings.complete);
  for (v1::Finding& finding : findings.complete) Complete(work.label, finding);
  return findings;
}

// Merges the parts of all targets.
class Comparison {
 public:
  explicit Comparison(const AboutSides& about) {
    *compared_.mutable_base() = about.base;
    *compared_.mutable_head() = about.head;
  }

  // Called in the order of the labels.
  void Add(TargetPart&& part) {
    base_.Add(part.base);
    head_.Add(part.head);
    window_runs_ = std::max(window_runs_, part.window_runs);
    if (part.head_runs.runs > 0) head_runs_[part.label] = part.head_runs;
    if (part.work.has_value()) {
      compared_.add_targets(part.label);
      compared_.set_arcs(compared_.arcs() + part.work->matched.arcs.size());
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
    size_t functions = 0;
    base::RunBoth(
        works_.size() > 1, [&] { JudgeTimes(times, options.time); },
        [&] { functions = CountFunctions(); });
    compared_.set_functions(functions);
    SetSpeed(works_, report_);

    std::vector<TargetFindings> taken(works_.size());
    base::ForBothHalves(works_.size(), 2, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) taken[i] = TakeFindings(works_[i], options);
    });
    std::vector<v1::Finding> findings;
    std::vector<QuietFinding> quiet;
    // For each: the index of the target, and the time.
    std::vector<std::pair<size_t, const FunctionTime*>> sources;
    for (size_t i = 0; i < taken.size(); ++i) {
      std::move(taken[i].complete.begin(), taken[i].complete.end(), std::back_inserter(findings));
      for (const QuietTime& one : taken[i].quiet) {
        quiet.push_back({one.verdict, one.time->metric, one.weight, works_[i].label, one.time->name,
                         sources.size()});
        sources.emplace_back(i, one.time);
      }
    }
    NoteVaryingCounts(findings, report_);
    AddReruns(head_runs_, findings, report_);
    RankFindings(
        std::move(findings), quiet, options.most_findings,
        [&](const QuietFinding& one) {
          const auto& [work, time] = sources[one.source];
          return DescribeQuiet(works_[work], *time, options.time);
        },
        report_);
    return std::move(report_);
  }

 private:
  // Over all targets, each name once.
  size_t CountFunctions() const {
    absl::flat_hash_set<absl::string_view> functions;
    for (const TargetWork& work : works_) {
      for (const FunctionPair& function : work.matched.functions) {
        if (!function.name.empty()) functions.insert(function.name);
      }
    }
    return functions.size();
  }

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
