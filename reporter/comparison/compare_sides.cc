#include "reporter/comparison/compare_sides.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/median.h"
#include "base/parallel.h"
#include "base/text.h"
#include "profile/computed.h"
#include "profile/demangle.h"
#include "reporter/comparison/choose_reruns.h"
#include "reporter/comparison/count_history.h"
#include "reporter/comparison/environments.h"
#include "reporter/comparison/judge_calls.h"
#include "reporter/comparison/match_target.h"
#include "reporter/comparison/measure_times.h"
#include "reporter/comparison/moved_calls.h"
#include "reporter/comparison/pair_call_sites.h"
#include "reporter/comparison/rank_findings.h"
#include "reporter/comparison/time_findings.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/function_rows.h"

namespace gprofhub::reporter {

namespace {

using Profiles = std::vector<profile::ComputedProfile>;

// Data that a comparison extracts from one target before any verdict.

// Kept per target until the times of all are judged together.
struct TargetWork {
  std::string label;
  MatchedTarget matched;
  TargetTotals totals;
  double samples_per_second = 0;  // 0: not sampled in seconds
  std::string dimension;          // of both sides; empty: not sampled, or in two dimensions
  CallJudgement calls;
  TargetTimes times;
  TargetGroups groups;
  std::optional<TestCode> test_code;
  EnvironmentDifferences environment;
};

// Whether the runs suggest that the test became slower: by more than sampling explains, and more
// than usual runs of one machine differ. The means of several runs differ less. A correction of the
// machine's speed alone suggests nothing.
bool MayBeSlower(const TargetWork& work, const TimeTest& test) {
  constexpr double kUnusual = 0.14;  // the logarithm of 1.15
  constexpr double kErrors = 2;
  if (test.before_samples <= 0 || test.after_samples <= 0) return false;
  const double change = std::log(TimeAfter(test) / TimeBefore(test));
  const double error = std::sqrt(1 / test.before_samples + 1 / test.after_samples);
  const double measured = change + std::log(work.times.speed_factor);
  const double runs = static_cast<double>(std::min(test.before_runs, test.after_runs));
  return work.matched.AnyEdited() && work.matched.toolchain_changes.empty() &&
         std::min(change, measured) >= std::max(kUnusual / std::sqrt(runs), kErrors * error);
}

// The variation of a test's CPU time from run to run that is assumed at least.
constexpr double kLeastVariation = 0.02;

// Of the logarithm of after / before. Runs vary as those at hand do; single runs by the least.
double ErrorOfChange(const TimeTest& test) {
  const double of_sampling = 1 / (test.before_samples + 0.5) + 1 / (test.after_samples + 0.5);
  const double dispersion =
      test.spread_df > 0 ? std::max(1.0, test.spread / static_cast<double>(test.spread_df)) : 1;
  const double of_runs =
      1 / static_cast<double>(test.before_runs) + 1 / static_cast<double>(test.after_runs);
  return std::sqrt(of_sampling * dispersion + kLeastVariation * kLeastVariation * of_runs +
                   test.build_variance);
}

// A test of the target alone.
v1::TargetTotal TotalOf(const TargetWork& work, const TimeOptions& options) {
  const TimeTest& test = work.times.whole;
  v1::TargetTotal total;
  total.set_target(work.label);
  total.set_dimension(work.dimension);
  total.set_speed_factor(work.times.speed_factor);
  if (test.before_runs > 0) total.set_before(TimeBefore(test));
  if (test.after_runs > 0) total.set_after(TimeAfter(test));
  if (!total.has_before() || !total.has_after()) return total;
  if (total.before() > 0) total.set_effect_percent((total.after() / total.before() - 1) * 100);
  const bool enough = test.before_samples + test.after_samples >= options.minimum_samples;
  if (test.changed && enough) {
    total.set_verdict(test.effect > 0 ? v1::Finding::REGRESSED : v1::Finding::IMPROVED);
  } else {
    total.set_verdict(enough ? QuietVerdict(test, options.model) : v1::Finding::CANNOT_TELL);
    total.set_unconfirmed(total.verdict() == v1::Finding::CANNOT_TELL && MayBeSlower(work, test));
  }
  const auto [low, high] = IntervalPercent(test, options.model);
  total.set_interval_low_percent(low);
  total.set_interval_high_percent(high);
  if (total.before() > 0) {
    total.set_standard_error_percent(ErrorOfChange(test) * total.after() / total.before() * 100);
  }
  return total;
}

// Of a target that only the head has.
v1::TargetTotal TotalOfNew(const std::string& label, const Profiles& profiles) {
  v1::TargetTotal total;
  total.set_target(label);
  total.set_dimension(base::ToUtf8(profiles.front().dimension));
  total.set_speed_factor(1);
  double samples = 0, exposure = 0;
  for (const profile::ComputedProfile& profile : profiles) {
    samples += profile.total_samples;
    exposure += profile.sample_rate * std::max<uint32_t>(1, profile.repetitions);
  }
  if (exposure > 0) total.set_after(samples / exposure);
  return total;
}

// Sum over the targets of one side.
struct SideTimes {
  double samples = 0;
  double measured = 0;  // with complete stacks
  double overhead = 0;  // in seconds, as is the next field
  double seconds = 0;
  size_t runs = 0;

  void Add(const SideTimes& other) {
    samples += other.samples;
    measured += other.measured;
    overhead += other.overhead;
    seconds += other.seconds;
    runs = std::max(runs, other.runs);
  }
};

// Result for one target.
struct TargetPart {
  std::string label;
  SideTimes base, head;
  size_t window_runs = 0;
  HeadRuns head_runs;
  std::optional<TargetWork> work;  // absent: one side lacks the target, or its calls
  v1::TargetTotal total_of_new;    // set if only the head has it
  std::string not_compared;        // why; empty: it is, or one side lacks the target
  // The base's own runs were on another kind of machine: times are compared with older runs, or not
  // at all.
  bool on_older_runs = false;
  bool incomparable = false;
  std::vector<std::string> warnings;
};

// Matches and measures the target on both sides. The profiles are not needed afterwards.
TargetPart PartOf(const std::string& label, const ComparisonSide& base, const ComparisonSide& head,
                  const TimeOptions& options);

SideTimes TimesOf(const Profiles& profiles) {
  SideTimes times;
  times.runs = profiles.size();
  for (const profile::ComputedProfile& profile : profiles) {
    times.samples += profile.total_samples;
    times.measured += profile.complete_stack_samples;
    if (profile.sample_rate <= 0) continue;
    times.overhead += profile.overhead_samples / profile.sample_rate;
    times.seconds += profile.total_samples / profile.sample_rate;
  }
  return times;
}

double TotalSamples(const Profiles& profiles) {
  double samples = 0;
  for (const profile::ComputedProfile& profile : profiles) samples += profile.total_samples;
  return samples;
}

// The dimension that all were sampled in; empty: they differ, or one was not sampled.
std::string CommonDimension(const Profiles& before, const Profiles& after) {
  const std::string& dimension = before.front().dimension;
  for (const auto* side : {&before, &after}) {
    for (const profile::ComputedProfile& profile : *side) {
      if (profile.dimension != dimension || profile.sample_rate <= 0) return "";
    }
  }
  return dimension;
}

void CopyWarnings(const Profiles& profiles, absl::string_view side, const std::string& label,
                  std::vector<std::string>& warnings) {
  std::set<std::string> said;
  for (const profile::ComputedProfile& profile : profiles) {
    for (const std::string& warning : profile.warnings) {
      if (!said.insert(warning).second) continue;
      warnings.push_back(absl::StrCat(label, " (", side, "): ", base::ToUtf8(warning)));
    }
  }
}

double SamplesPerSecond(const Profiles& profiles) {
  const profile::ComputedProfile& first = profiles.front();
  return first.dimension == "seconds" ? first.sample_rate : 0;
}

const Profiles* Find(const std::map<std::string, Profiles>& targets, const std::string& label) {
  const auto found = targets.find(label);
  return found == targets.end() || found->second.empty() ? nullptr : &found->second;
}

// Everything but the verdicts, which need all targets. Both sides have the target.
void WorkOn(const ComparisonSide& base, const ComparisonSide& head, const TimeOptions& options,
            TargetPart& part) {
  const std::string& label = part.label;
  const Profiles& before = base.targets.at(label);
  const Profiles& after = head.targets.at(label);
  TargetWork& work = part.work.emplace();
  work.label = label;
  const absl::string_view machine = HeadMachine(head, label);
  Profiles copies;
  const absl::Span<const profile::ComputedProfile> window =
      ComparableWindow(base, label, machine, copies);
  work.matched = MatchTarget(before, after, window);
  if (ForgetOtherMachines(base, label, machine, work.matched) == before.size()) {
    (window.empty() ? part.incomparable : part.on_older_runs) = true;
  }
  ApplyCountHistory(HistoryOf(base, label), work.matched);
  work.test_code.emplace(work.matched, label);
  work.totals = {TotalSamples(before), TotalSamples(after)};
  work.samples_per_second = SamplesPerSecond(after);
  work.dimension = base::ToUtf8(CommonDimension(before, after));
  const bool has_times = !work.dimension.empty();
  work.groups = FindGroups(work.matched, before, window, after, has_times, options);
  if (has_times) {
    work.times = MeasureTimes(work.matched, before, window, after, options);
  } else if (before.front().dimension != after.front().dimension) {
    part.warnings.push_back(absl::StrCat(
        label, ": the base was sampled in ", base::ToUtf8(before.front().dimension),
        ", the head in ", base::ToUtf8(after.front().dimension), "; times are not compared"));
  }
  MeasureInstructions(work.matched, before, window, after, options, work.times);
  CopyWarnings(before, "base", label, part.warnings);
  CopyWarnings(after, "head", label, part.warnings);
}

std::string WhyIncomparable(const Profiles& before, const Profiles& after) {
  const auto is_incomplete = [](const profile::ComputedProfile& profile) {
    return profile.incomplete_calls;
  };
  const bool base = absl::c_any_of(before, is_incomplete);
  if (!base && !absl::c_any_of(after, is_incomplete)) return "";
  return absl::StrCat("calls of the ", base ? "base" : "head",
                      " are missing: a process could not write all its counts");
}

TargetPart PartOf(const std::string& label, const ComparisonSide& base, const ComparisonSide& head,
                  const TimeOptions& options) {
  TargetPart part;
  part.label = label;
  const Profiles* const before = Find(base.targets, label);
  const Profiles* const after = Find(head.targets, label);
  if (before != nullptr) part.base = TimesOf(*before);
  if (after != nullptr) {
    part.head = TimesOf(*after);
    part.head_runs = HeadRunsOf(*after);
  }
  const auto window = base.window.find(label);
  if (window != base.window.end()) part.window_runs = window->second.size();
  if (before != nullptr && after != nullptr) {
    EnvironmentComparison environments = CompareEnvironments(*before, *after);
    part.not_compared = WhyIncomparable(*before, *after);
    if (part.not_compared.empty()) part.not_compared = std::move(environments.incomparable);
    if (!part.not_compared.empty()) return part;
    WorkOn(base, head, options, part);
    part.work->matched.other_environment = !environments.differences.empty();
    part.work->environment = std::move(environments.differences);
  } else if (after != nullptr) {
    part.total_of_new = TotalOfNew(label, *after);
  }
  return part;
}

}  // namespace

// A share of a test that took two milliseconds is neither relevant nor measurable. So in tests with
// few samples, a change is pooled with the same change (same caller and callee) in all such tests:
//
//   share = cost in these tests / samples of all tests that run the callee
//
// If all of those have few samples, too, the divisor is the package's samples, and otherwise all
// tests'. A change is material only from a total of one millisecond of CPU on.

namespace {

constexpr double kLeastSeconds = 0.001;

// callee, caller, whether it costs more
using Change = std::tuple<std::string, std::string, bool>;

struct Cost {
  double samples = 0;
  double seconds = 0;  // for one execution per target
  bool in_seconds = true;
};

Change ChangeOf(const v1::Finding& finding) {
  return {finding.function(), finding.caller(), finding.after() > finding.before()};
}

// A test's part may contain colons in its name (ci/upload/results/test_events.h); a package never
// does.
absl::string_view PackageOf(absl::string_view target) { return target.substr(0, target.find(':')); }

class TinyTargets {
 public:
  TinyTargets(const std::vector<JudgedTarget>& targets, double minimum_impact)
      : targets_(targets), minimum_impact_(minimum_impact) {
    for (const JudgedTarget& target : targets) {
      all_ += target.totals.Larger();
      of_package_[PackageOf(*target.label)] += target.totals.Larger();
      if (target.totals.IsTiny()) AddCosts(target);
    }
    AddSamplesOfFunctions();
  }

  void Judge() {
    for (const JudgedTarget& target : targets_) {
      if (!target.totals.IsTiny()) continue;
      for (v1::Finding& finding : *target.findings) JudgeFinding(*target.label, finding);
    }
  }

  bool Known() const { return all_ > 0; }

 private:
  void AddCosts(const JudgedTarget& target) {
    const uint64_t executions =
        std::max(target.matched->repetitions_before, target.matched->repetitions_after);
    for (const v1::Finding& finding : *target.findings) {
      if (!MayHaveChanged(finding)) continue;
      Cost& cost = costs_[ChangeOf(finding)];
      const double samples = finding.impact() * target.totals.OfTiny();
      cost.samples += samples;
      if (target.samples_per_second <= 0) {
        cost.in_seconds = false;
      } else {
        cost.seconds += samples / target.samples_per_second / static_cast<double>(executions);
      }
      of_function_.try_emplace(finding.function(), 0);
    }
  }

  // Over all targets that run a function whose change is judged.
  void AddSamplesOfFunctions() {
    for (const JudgedTarget& target : targets_) {
      for (const FunctionPair& function : target.matched->functions) {
        const auto found = of_function_.find(function.name);
        if (found != of_function_.end()) found->second += target.totals.Larger();
      }
    }
  }

  void JudgeFinding(const std::string& label, v1::Finding& finding) const {
    const auto cost = costs_.find(ChangeOf(finding));
    if (!MayHaveChanged(finding) || cost == costs_.end()) return;
    double samples = of_function_.at(finding.function());
    if (samples < TargetTotals::kEnoughSamples) {
      samples = std::max(samples, of_package_.at(PackageOf(label)));
    }
    if (samples < TargetTotals::kEnoughSamples) samples = std::max(samples, all_);
    samples = std::max(samples, TargetTotals::kEnoughSamples);
    finding.set_impact(std::min(1.0, cost->second.samples / samples));
    const bool enough = !cost->second.in_seconds || cost->second.seconds >= kLeastSeconds;
    finding.set_material((enough && finding.impact() >= minimum_impact_) ||
                         CostsOtherThanCpu(finding));
  }

  const std::vector<JudgedTarget>& targets_;
  const double minimum_impact_;
  double all_ = 0;
  std::map<absl::string_view, double> of_package_;
  std::map<Change, Cost> costs_;
  absl::flat_hash_map<std::string, double> of_function_;
};

}  // namespace

void JudgeTinyTargets(const std::vector<JudgedTarget>& targets, double minimum_impact) {
  TinyTargets tiny(targets, minimum_impact);
  if (tiny.Known()) tiny.Judge();
}

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
  std::vector<CostShifts> shifts(works.size());
  NoisyFunctions noisy, noisy_in_second_half;
  base::ForBothHalves(works.size(), 2, [&](size_t begin, size_t end) {
    NoisyFunctions& of_half = begin == 0 ? noisy : noisy_in_second_half;
    for (size_t i = begin; i < end; ++i) {
      RestoreReplacedCalls(works[i].matched);
      shifts[i] = FindCostShifts(works[i].matched);
      RestoreInlinedCalls(works[i].matched);
      judges[i].emplace(works[i].matched, works[i].totals, costs, minimum_impact);
      judges[i]->AddNoise(of_half);
    }
  });
  noisy.Merge(std::move(noisy_in_second_half));
  base::ForBothHalves(works.size(), 2, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      works[i].calls = judges[i]->Run(noisy, std::move(shifts[i]));
      judges[i].reset();
    }
  });
  std::vector<TargetCalls> calls;
  for (TargetWork& work : works) calls.push_back({&work.matched, &work.calls.findings});
  ShiftInAllTargets(calls);
  std::vector<JudgedTarget> judged;
  for (TargetWork& work : works) {
    judged.push_back(
        {&work.label, &work.matched, work.totals, work.samples_per_second, &work.calls.findings});
  }
  JudgeTinyTargets(judged, minimum_impact);
}

// Fills in what all findings of the target have, and the fields for display.
void Complete(const TargetWork& work, v1::Finding& finding) {
  finding.set_target(work.label);
  *finding.mutable_environment() = work.environment;
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
  work.test_code->MarkTime(finding);
  Complete(work, finding);
  return finding;
}

// Fewer calls of a function that takes more time than before are no saving: each of them does more.
void DropContradictedSavings(std::vector<v1::Finding>& findings) {
  absl::flat_hash_set<absl::string_view> slower;
  for (const v1::Finding& finding : findings) {
    if (finding.metric() == v1::Finding::SELF_TIME && finding.verdict() == v1::Finding::REGRESSED) {
      slower.insert(finding.function());
    }
  }
  for (v1::Finding& finding : findings) {
    const bool fewer =
        finding.metric() == v1::Finding::CALLS && finding.verdict() == v1::Finding::IMPROVED;
    if (fewer && slower.contains(finding.function())) finding.set_material(false);
  }
}

struct TargetFindings {
  std::vector<v1::Finding> complete;
  std::vector<QuietTime> quiet;
};

// Moves the findings out of `work`.
TargetFindings TakeFindings(TargetWork& work, const CompareOptions& options) {
  TargetFindings findings;
  const JudgedTimes judged = JudgedTimesOf(work, options.time);
  TimesFound times = FindTimes(judged);
  findings.complete = std::move(work.calls.findings);
  for (v1::Finding& finding : times.findings) findings.complete.push_back(std::move(finding));
  AddLibraryTimeToItsCalls(absl::MakeSpan(findings.complete));
  // Unchanged and inconclusive times are folded under groups, too, so their names must be owned
  // here.
  const bool has_groups = HasGroups(work.matched, work.groups);
  for (const QuietTime& quiet : times.quiet) {
    if (has_groups || !base::IsUtf8(quiet.time->name)) {
      findings.complete.push_back(DescribeTime(judged, *quiet.time));
    } else if (options.most_quiet_times > 0) {
      findings.quiet.push_back(quiet);
    }
  }
  work.test_code->Mark(absl::MakeSpan(findings.complete));
  DropContradictedSavings(findings.complete);
  FoldGroups(work.matched, work.groups, work.totals, options.time, findings.complete);
  for (v1::Finding& finding : findings.complete) Complete(work, finding);
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
    if (!part.not_compared.empty()) {
      v1::NotCompared& left_out = *compared_.add_not_compared();
      left_out.set_target(part.label);
      left_out.set_reason(std::move(part.not_compared));
    } else if (part.work.has_value()) {
      compared_.add_targets(part.label);
      compared_.set_arcs(compared_.arcs() + part.work->matched.arcs.size());
      const std::string differences = EnvironmentWords(part.work->environment);
      if (!differences.empty()) ++environments_[differences];
      works_.push_back(*std::move(part.work));
      for (const FunctionPair& function : works_.back().matched.functions) {
        if (!function.name.empty()) functions_.insert(function.name);
      }
    } else if (part.head.runs > 0) {
      compared_.add_new_targets(part.label);
      if (part.total_of_new.after() > 0) *report_.add_totals() = std::move(part.total_of_new);
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
    NoteEnvironments(environments_, report_);
    std::vector<TargetTimes*> times;
    for (TargetWork& work : works_) times.push_back(&work.times);
    JudgeTimes(times, options.time);
    compared_.set_functions(functions_.size());
    SetSpeed(works_, report_);
    SetTotals(options.time);

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
        std::move(findings), quiet, options.most_quiet_times,
        [&](const QuietFinding& one) {
          const auto& [work, time] = sources[one.source];
          return DescribeQuiet(works_[work], *time, options.time);
        },
        report_);
    SetTestEffects(report_);
    return std::move(report_);
  }

 private:
  // Those of new targets are there already.
  void SetTotals(const TimeOptions& options) {
    for (const TargetWork& work : works_) {
      if (work.dimension.empty()) continue;
      if (work.totals.Larger() > 0) *report_.add_totals() = TotalOf(work, options);
    }
    std::sort(
        report_.mutable_totals()->begin(), report_.mutable_totals()->end(),
        [](const v1::TargetTotal& a, const v1::TargetTotal& b) { return a.target() < b.target(); });
  }

  v1::Report report_;
  v1::Compared& compared_ = *report_.mutable_compared();
  SideTimes base_, head_;
  size_t window_runs_ = 0;
  std::map<std::string, HeadRuns> head_runs_;
  std::vector<TargetWork> works_;
  absl::flat_hash_set<absl::string_view> functions_;  // the names in all of these
  std::map<std::string, size_t> environments_;        // targets, by differences in words
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
