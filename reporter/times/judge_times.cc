// Which sampled times changed, and which of these changes say something new. The
// statistics are time_model.cc's.
//
// A change of time is *explained*, and ranks behind its cause, where
// - the function's calls changed, exactly, and its time per call did not: it is
//   called more, not slower;
// - it is the function in which a change of calls began: a loop that calls more
//   also runs longer itself;
// - it is a total time, and a function below is the cause, or its cost moved;
// - it is a whole module's without symbols, and calls changed somewhere: its calls are
//   not counted, so it cannot be told from its callers.
//
// Time that only moved: where a function's own time changed and a neighbour (a
// caller, a callee, a function of the same file or class) changed the other way so
// that their sum did not, the compiler drew the border between them anew. That is
// SHIFTED, not an alarm.
#include "reporter/times/judge_times.h"

#include <algorithm>
#include <cmath>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "profile/names/demangle.h"
#include "reporter/matching/function_identity.h"

namespace gprofhub::reporter {
namespace {

// A neighbour's opposite change counts from so many standard errors on.
constexpr double kOppositeErrors = 3;
// A sum of neighbours is unchanged if this part of the change at most remains.
constexpr double kRemaining = 0.5;

double Exposure(const profile::ComputedProfile& profile) {
  return profile.sample_rate * static_cast<double>(std::max<uint32_t>(1, profile.repetitions));
}

// Seconds per execution, machine speed taken out.
double Before(const TimeTest& test) { return test.before_samples / test.before_exposure; }
double After(const TimeTest& test) { return test.after_samples / test.after_exposure; }

// Of After - Before.
double StandardError(const TimeTest& test) {
  const double sampling =
      std::hypot(std::sqrt(std::max(1.0, test.before_samples)) / test.before_exposure,
                 std::sqrt(std::max(1.0, test.after_samples)) / test.after_exposure);
  return std::max(sampling, test.standard_error * std::min(Before(test), After(test)));
}

class TargetFindings {
 public:
  TargetFindings(const MatchedTarget& target, const TargetTimes& times, const TargetTotals& totals,
                 const CallJudgement& calls, const std::pair<double, double>& p,
                 const TimeOptions& options)
      : target_(target), times_(times), totals_(totals), calls_(calls), p_(p), options_(options) {
    for (const FunctionTime& time : times.self) self_[time.function] = &time;
  }

  std::vector<v1::Finding> Run() {
    std::vector<v1::Finding> findings;
    for (const FunctionTime& time : times_.self) {
      if (!time.test.changed && !WorthMentioning(time)) continue;
      v1::Finding finding = Describe(time, p_.first);
      if (time.test.changed) {
        const v1::Shift& moved = calls_.shifts[time.function];
        finding.set_explained(Explained(time));
        if (MovesCalls(moved)) {
          SetShift(moved, finding);
        } else if (!finding.explained()) {
          NoteShift(time, finding);
        }
        if (finding.material() && finding.verdict() == v1::Finding::REGRESSED) {
          causes_.insert(time.function);
        }
      }
      findings.push_back(std::move(finding));
    }
    for (const FunctionTime& time : times_.total) {
      if (!time.test.changed && !WorthMentioning(time)) continue;
      v1::Finding finding = Describe(time, p_.second);
      if (time.test.changed) finding.set_explained(HasCauseBelow(time.function));
      finding.set_measured(times_.totals_measured);
      // What is only estimated alarms nobody.
      if (!times_.totals_measured) finding.set_material(false);
      findings.push_back(std::move(finding));
    }
    return findings;
  }

 private:
  bool WorthMentioning(const FunctionTime& time) const {
    const FunctionPair& function = target_.functions[time.function];
    if (!function.before.present() || !function.after.present()) return false;
    const bool total = time.metric == v1::Finding::TOTAL_TIME;
    const auto samples = [&](const FunctionSide& side) {
      return side.self_samples + (total ? side.child_samples : 0);
    };
    return (totals_.before_samples > 0 &&
            samples(function.before) >= options_.minimum_share * totals_.before_samples) ||
           (totals_.after_samples > 0 &&
            samples(function.after) >= options_.minimum_share * totals_.after_samples);
  }

  v1::Finding Describe(const FunctionTime& time, double p) const {
    const FunctionPair& function = target_.functions[time.function];
    const TimeTest& test = time.test;
    v1::Finding finding;
    finding.set_metric(time.metric);
    finding.set_function(function.name);
    const FunctionSide& side = function.after.present() ? function.after : function.before;
    finding.mutable_site()->set_file(side.file);
    finding.mutable_site()->set_line(side.line);
    finding.set_before(Before(test));
    finding.set_after(After(test));
    if (test.before_samples > 0) {
      finding.set_effect_percent((finding.after() / finding.before() - 1) * 100);
    }
    finding.set_standard_error(StandardError(test));
    const double half = HalfWidth95(test);
    finding.set_interval_low_percent(std::expm1(test.effect - half) * 100);
    finding.set_interval_high_percent(std::expm1(std::min(50.0, test.effect + half)) * 100);
    finding.set_weight(std::max(ShareBefore(function, totals_), ShareAfter(function, totals_)));
    finding.set_impact(std::min(1.0, std::fabs(finding.after() - finding.before()) /
                                         std::max(times_.larger_total, 1e-300)));
    const double minimum = options_.model.minimum_effect_percent;
    if (test.changed) {
      finding.set_verdict(test.effect > 0 ? v1::Finding::REGRESSED : v1::Finding::IMPROVED);
      finding.set_material(finding.impact() >= options_.minimum_impact);
    } else if (finding.interval_low_percent() >= -minimum &&
               finding.interval_high_percent() <= minimum) {
      finding.set_verdict(v1::Finding::EQUIVALENT);
    } else {
      finding.set_verdict(v1::Finding::CANNOT_TELL);
      finding.set_detectable_percent(DetectablePercent(test, p, options_.model));
      const double factor = RunsFactorFor(test, p, 2 * minimum, options_.model);
      const double runs = static_cast<double>(std::max(test.before_runs, test.after_runs));
      finding.set_more_runs_needed(
          static_cast<uint32_t>(std::min(1e6, std::ceil(runs * (factor - 1)))));
    }
    return finding;
  }

  bool Explained(const FunctionTime& time) const {
    const FunctionPair& function = target_.functions[time.function];
    if (function.is_module) return calls_.any_material;
    if (!calls_.touched[time.function]) return false;
    const Count& before = function.before.calls;
    const Count& after = function.after.calls;
    // It is where a change of calls began.
    if (SameRatio(before.sum, target_.repetitions_before, after.sum, target_.repetitions_after)) {
      return true;
    }
    // A function that came or went has a finding that says so.
    if (before.sum == 0 || after.sum == 0) return true;
    const double calls = std::log(
        (static_cast<double>(after.sum) / static_cast<double>(target_.repetitions_after)) /
        (static_cast<double>(before.sum) / static_cast<double>(target_.repetitions_before)));
    if ((calls > 0) != (time.test.effect > 0)) return false;
    const double per_call = std::fabs(time.test.effect) - std::fabs(calls);
    const double tolerance = std::log1p(options_.model.minimum_effect_percent / 100);
    return per_call <= tolerance + 2 * time.test.standard_error;
  }

  static void SetShift(const v1::Shift& shift, v1::Finding& finding) {
    finding.set_verdict(v1::Finding::SHIFTED);
    finding.set_material(false);
    *finding.mutable_shift() = shift;
  }

  // Own times that changed the other way, among `candidates`, as far as they make up
  // for the change.
  void NoteShift(const FunctionTime& time, v1::Finding& finding) {
    if (by_neighbour_.empty()) IndexNeighbours();
    const double change = After(time.test) - Before(time.test);
    for (const std::vector<uint32_t>& group : Groups(time.function)) {
      double others = 0;
      std::vector<std::string> names;
      for (const uint32_t i : group) {
        const auto found = self_.find(i);
        if (i == time.function || found == self_.end()) continue;
        const TimeTest& test = found->second->test;
        const double moved = After(test) - Before(test);
        others += moved;
        if (moved * change < 0 && std::fabs(moved) >= kOppositeErrors * StandardError(test)) {
          names.push_back(target_.functions[i].name);
        }
      }
      if (names.empty() || std::fabs(change + others) > kRemaining * std::fabs(change) ||
          others * change > 0) {
        continue;
      }
      v1::Shift shift;
      shift.set_kind(v1::Shift::TIME_MOVED);
      for (const std::string& name : names) shift.add_with(name);
      SetShift(shift, finding);
      return;
    }
  }

  void IndexNeighbours() {
    by_neighbour_.resize(target_.functions.size());
    for (const ArcPair& arc : target_.arcs) {
      if (arc.caller == kSpontaneous || arc.caller == arc.callee) continue;
      by_neighbour_[arc.caller].push_back(arc.callee);
      by_neighbour_[arc.callee].push_back(arc.caller);
    }
    for (const auto& [function, time] : self_) {
      const FunctionPair& pair = target_.functions[function];
      const std::string& file = pair.after.present() ? pair.after.file : pair.before.file;
      if (!file.empty()) by_file_[file].push_back(function);
      std::string scope = ScopeOf(profile::Demangle(pair.name));
      if (!scope.empty()) by_scope_[std::move(scope)].push_back(function);
    }
  }

  std::vector<std::vector<uint32_t>> Groups(uint32_t function) {
    const FunctionPair& pair = target_.functions[function];
    std::vector<std::vector<uint32_t>> groups = {by_neighbour_[function]};
    std::sort(groups[0].begin(), groups[0].end());
    groups[0].erase(std::unique(groups[0].begin(), groups[0].end()), groups[0].end());
    const auto scope = by_scope_.find(ScopeOf(profile::Demangle(pair.name)));
    if (scope != by_scope_.end()) groups.push_back(scope->second);
    const auto file = by_file_.find(pair.after.present() ? pair.after.file : pair.before.file);
    if (file != by_file_.end()) groups.push_back(file->second);
    return groups;
  }

  // Whether a finding that is a cause stands for a function that `function` leads to.
  bool HasCauseBelow(uint32_t function) {
    if (callees_.empty()) {
      callees_.resize(target_.functions.size());
      for (const ArcPair& arc : target_.arcs) {
        if (arc.caller != kSpontaneous) callees_[arc.caller].push_back(arc.callee);
      }
    }
    std::vector<uint32_t> stack = {function};
    absl::flat_hash_set<uint32_t> seen = {function};
    while (!stack.empty()) {
      const uint32_t at = stack.back();
      stack.pop_back();
      if (causes_.contains(at) || calls_.touched[at] || MovesCalls(calls_.shifts[at])) return true;
      for (const uint32_t callee : callees_[at]) {
        if (seen.insert(callee).second) stack.push_back(callee);
      }
    }
    return false;
  }

  const MatchedTarget& target_;
  const TargetTimes& times_;
  const TargetTotals& totals_;
  const CallJudgement& calls_;
  const std::pair<double, double> p_;
  const TimeOptions& options_;
  absl::flat_hash_map<uint32_t, const FunctionTime*> self_;
  absl::flat_hash_set<uint32_t> causes_;
  std::vector<std::vector<uint32_t>> by_neighbour_;
  std::vector<std::vector<uint32_t>> callees_;
  absl::flat_hash_map<std::string, std::vector<uint32_t>> by_file_;
  absl::flat_hash_map<std::string, std::vector<uint32_t>> by_scope_;
};

// Of all runs, in the order of FunctionPair::self_by_run.
RunExposures ExposuresOf(absl::Span<const profile::ComputedProfile> before,
                         absl::Span<const profile::ComputedProfile> window,
                         absl::Span<const profile::ComputedProfile> after) {
  RunExposures runs;
  runs.before = before.size() + window.size();
  for (const auto& part : {before, window, after}) {
    for (const profile::ComputedProfile& profile : part) runs.exposure.push_back(Exposure(profile));
  }
  return runs;
}

// By run: how much slower its machine was, as far as the functions agree.
std::vector<double> SpeedFactors(const MatchedTarget& target, const RunExposures& runs) {
  std::vector<absl::Span<const double>> samples;
  for (const FunctionPair& function : target.functions) {
    if (function.self_by_run.size() == runs.exposure.size()) {
      samples.push_back(function.self_by_run);
    }
  }
  return EstimateSpeedFactors(runs, samples);
}

// Of the runs' whole time per execution, in the dimension's unit.
double MeanTime(absl::Span<const profile::ComputedProfile> runs) {
  double total = 0;
  for (const profile::ComputedProfile& profile : runs)
    total += profile.total_samples / Exposure(profile);
  return total / static_cast<double>(runs.size());
}

bool MostHaveStacks(absl::Span<const profile::ComputedProfile> before,
                    absl::Span<const profile::ComputedProfile> after) {
  double all_samples = 0, on_stacks = 0;
  for (const auto& side : {before, after}) {
    for (const profile::ComputedProfile& profile : side) {
      all_samples += profile.total_samples;
      on_stacks += profile.complete_stack_samples;
    }
  }
  return on_stacks > all_samples / 2;
}

std::vector<double> TotalByRun(const FunctionPair& function) {
  std::vector<double> both = function.self_by_run;
  for (size_t run = 0; run < both.size(); ++run) {
    const double sum = both[run] + function.child_by_run[run];
    both[run] = sum < 0 ? 0 : sum;  // keeps what is not a number
  }
  return both;
}

TimeTest TestTimes(const RunExposures& runs, const std::vector<double>& speed,
                   const std::vector<double>& samples, const TimeOptions& options,
                   const TargetTimes& times) {
  TimeTest test = MakeTimeTest(runs, speed, samples);
  // No change is larger than both sides together.
  test.matters = Before(test) + After(test) >= options.minimum_impact * times.larger_total;
  return test;
}

}  // namespace

TargetTimes MeasureTimes(const MatchedTarget& target,
                         absl::Span<const profile::ComputedProfile> before,
                         absl::Span<const profile::ComputedProfile> window,
                         absl::Span<const profile::ComputedProfile> after,
                         const TimeOptions& options) {
  TargetTimes times;
  const RunExposures runs = ExposuresOf(before, window, after);
  const std::vector<double> speed = SpeedFactors(target, runs);
  double base_speed = 0, head_speed = 0;
  for (size_t run = 0; run < speed.size(); ++run) {
    times.speed_known |= speed[run] != 1;
    (run < runs.before ? base_speed : head_speed) += speed[run];
  }
  base_speed /= static_cast<double>(runs.before);
  head_speed /= static_cast<double>(after.size());
  times.speed_factor = head_speed / base_speed;
  times.larger_total = std::max(MeanTime(before) / base_speed, MeanTime(after) / head_speed);
  times.totals_measured = MostHaveStacks(before, after);
  const bool instructions = before.front().dimension == "instructions";
  for (uint32_t i = 0; i < target.functions.size(); ++i) {
    const FunctionPair& function = target.functions[i];
    if (function.self_by_run.size() != runs.exposure.size()) continue;  // became another
    if (!function.before.present() && !function.after.present()) continue;
    const TimeTest self = TestTimes(runs, speed, function.self_by_run, options, times);
    if (self.before_runs == 0 || self.after_runs == 0) continue;  // on no comparable machine
    if (self.before_samples + self.after_samples >= options.minimum_samples) {
      times.self.push_back(
          {i, instructions ? v1::Finding::INSTRUCTIONS : v1::Finding::SELF_TIME, self});
    }
    if (function.before.child_samples + function.after.child_samples <= 0) continue;
    if (!function.before.present() || !function.after.present() || instructions) continue;
    const TimeTest total = TestTimes(runs, speed, TotalByRun(function), options, times);
    if (total.before_samples + total.after_samples >= options.minimum_samples) {
      times.total.push_back({i, v1::Finding::TOTAL_TIME, total});
    }
  }
  return times;
}

std::pair<double, double> JudgeAll(const std::vector<TargetTimes*>& targets,
                                   const TimeOptions& options) {
  std::vector<TimeTest*> self, total;
  for (TargetTimes* target : targets) {
    for (FunctionTime& time : target->self) self.push_back(&time.test);
    for (FunctionTime& time : target->total) total.push_back(&time.test);
  }
  return {JudgeTimeTests(self, options.model), JudgeTimeTests(total, options.model)};
}

std::vector<v1::Finding> TimeFindings(const MatchedTarget& target, const TargetTimes& times,
                                      const TargetTotals& totals, const CallJudgement& calls,
                                      const std::pair<double, double>& p,
                                      const TimeOptions& options) {
  return TargetFindings(target, times, totals, calls, p, options).Run();
}

}  // namespace gprofhub::reporter
