// Which sampled times changed, and which of these changes say something new. The statistics are
// time_model.cc's. What only moved is moved_times.cc's.
//
// A change of time may be *explained*. Then it ranks behind its cause. There are five reasons:
// - The function's calls changed, exactly, and its time per call did not. It is called more, it is
//   not slower.
// - A change of calls began in the function. A loop that calls more also runs longer itself.
// - It is a total time, and a function below is the cause, or cost of a function below moved.
// - It is the time of code whose calls are not counted, and calls changed somewhere: of a whole
//   module without symbols, or of the jumps into shared libraries (`_init`). Nothing tells it from
//   its callers.
// - Neither its code nor its calls changed, and calls changed somewhere. It is given other data, or
//   finds other things in the caches.
#include "reporter/times/time_findings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "reporter/matching/same_ratio.h"
#include "reporter/shifts/moved_calls.h"
#include "reporter/times/inlined_times.h"
#include "reporter/times/moved_times.h"
#include "reporter/times/time_model.h"

namespace gprofhub::reporter {
namespace {

// An effect is in doubt from so many standard errors on.
constexpr double kErrorsOfDoubt = 1.5;

uint32_t WholeRuns(double runs) { return static_cast<uint32_t>(std::min(1e6, std::ceil(runs))); }

// The runtime counts them in millions.
void CountSingleOnes(v1::Finding& instructions) {
  constexpr double kMillion = 1e6;
  instructions.set_before(instructions.before() * kMillion);
  instructions.set_after(instructions.after() * kMillion);
  instructions.set_standard_error(instructions.standard_error() * kMillion);
}

class TargetFindings {
 public:
  TargetFindings(const MatchedTarget& target, const TargetTimes& times, const TargetTotals& totals,
                 const CallJudgement& calls, const TimeOptions& options)
      : target_(target),
        times_(times),
        totals_(totals),
        calls_(calls),
        options_(options),
        moved_(target, times.self),
        moved_instructions_(target, times.instructions),
        inlined_(target) {
    absl::flat_hash_map<absl::string_view, uint32_t> by_name;
    for (uint32_t i = 0; i < target.functions.size(); ++i) by_name[target.functions[i].name] = i;
    for (uint32_t i = 0; i < calls.shifts.size(); ++i) {
      if (!MovesCalls(calls.shifts[i])) continue;
      std::vector<uint32_t> together = {i};
      for (const std::string& name : calls.shifts[i].with()) {
        if (const auto found = by_name.find(name); found != by_name.end()) {
          together.push_back(found->second);
        }
      }
      shifted_.insert(together.begin(), together.end());
      moved_.AddShift(together);
      moved_instructions_.AddShift(together);
    }
  }

  std::vector<v1::Finding> Run() {
    std::vector<v1::Finding> findings;
    for (const FunctionTime& time : times_.self) {
      if (time.test.changed || WorthMentioning(time)) findings.push_back(SelfFinding(time));
    }
    // Beside the time, what did not change is not worth a word.
    for (const FunctionTime& time : times_.instructions) {
      if (time.test.changed) findings.push_back(SelfFinding(time));
    }
    for (const FunctionTime& time : times_.total) {
      if (time.test.changed || WorthMentioning(time)) findings.push_back(TotalFinding(time));
    }
    return findings;
  }

 private:
  v1::Finding SelfFinding(const FunctionTime& time) {
    v1::Finding finding = Describe(time);
    if (!time.test.changed || finding.unexplained()) return finding;
    const v1::Shift& by_calls = calls_.shifts[time.function];
    finding.set_explained(Explained(time));
    // The same code takes longer because it is given more to do: of what changed elsewhere.
    const bool is_same = target_.functions[time.function].code == CodeChange::kSame;
    finding.set_may_follow(is_same && calls_.any_material);
    if (MovesCalls(by_calls)) {
      SetShift(by_calls, finding);
    } else if (!finding.explained()) {
      const bool is_time = time.metric != v1::Finding::EVENT_INSTRUCTIONS;
      std::optional<v1::Shift> shift = (is_time ? moved_ : moved_instructions_).Find(time);
      if (!shift.has_value()) shift = inlined_.Find(time);
      if (shift.has_value()) SetShift(*shift, finding);
    }
    if (finding.material() && finding.verdict() == v1::Finding::REGRESSED) {
      causes_.insert(time.function);
    }
    return finding;
  }

  // After all own times: it asks for their causes.
  v1::Finding TotalFinding(const FunctionTime& time) {
    v1::Finding finding = Describe(time);
    if (time.test.changed && !finding.unexplained())
      finding.set_explained(HasCauseBelow(time.function));
    finding.set_measured(times_.totals_measured);
    // What is only estimated alarms nobody.
    if (!times_.totals_measured) finding.set_material(false);
    return finding;
  }

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

  v1::Finding Describe(const FunctionTime& time) const {
    const FunctionPair& function = target_.functions[time.function];
    const TimeTest& test = time.test;
    v1::Finding finding;
    finding.set_metric(time.metric);
    finding.set_function(function.name);
    const FunctionSide& side = function.after.present() ? function.after : function.before;
    finding.mutable_site()->set_file(side.file);
    finding.mutable_site()->set_line(side.line);
    finding.set_before(TimeBefore(test));
    finding.set_after(TimeAfter(test));
    double change = finding.after() - finding.before();
    if (time.pooled_targets > 0) {
      change = finding.before() * std::expm1(test.effect);
      finding.set_pooled_targets(time.pooled_targets);
    }
    if (test.before_samples > 0) finding.set_effect_percent(change / finding.before() * 100);
    finding.set_standard_error(StandardErrorOfChange(test));
    const double half = HalfWidth95(test);
    finding.set_interval_low_percent(std::expm1(test.effect - half) * 100);
    finding.set_interval_high_percent(std::expm1(std::min(50.0, test.effect + half)) * 100);
    finding.set_weight(std::max(ShareBefore(function, totals_), ShareAfter(function, totals_)));
    const double all = time.metric == v1::Finding::EVENT_INSTRUCTIONS ? times_.larger_instructions
                                                                      : times_.larger_total;
    finding.set_impact(std::min(1.0, std::fabs(change) / std::max(all, 1e-300)));
    const double minimum = options_.model.minimum_effect_percent;
    if (test.changed && calls_.chance[time.function]) {
      finding.set_verdict(v1::Finding::CANNOT_TELL);
      finding.set_unexplained(true);
    } else if (test.changed) {
      finding.set_verdict(test.effect > 0 ? v1::Finding::REGRESSED : v1::Finding::IMPROVED);
      finding.set_material(finding.impact() >= options_.minimum_impact);
    } else if (finding.interval_low_percent() >= -minimum &&
               finding.interval_high_percent() <= minimum) {
      finding.set_verdict(v1::Finding::EQUIVALENT);
    } else {
      finding.set_verdict(v1::Finding::CANNOT_TELL);
      finding.set_detectable_percent(DetectablePercent(test));
      finding.set_more_runs_needed(WholeRuns(MoreHeadRunsFor(test, EffectInDoubt(test))));
    }
    if (finding.metric() == v1::Finding::INSTRUCTIONS) CountSingleOnes(finding);
    return finding;
  }

  // Which effect more runs have to show or rule out, in percent: the one that was seen, if it is
  // more than chance makes in most cases.
  double EffectInDoubt(const TimeTest& test) const {
    const double least = 2 * options_.model.minimum_effect_percent;
    if (test.effect < kErrorsOfDoubt * StandardError(test)) return least;
    return std::max(least, std::expm1(std::min(test.effect, 50.0)) * 100);
  }

  bool Explained(const FunctionTime& time) const {
    const FunctionPair& function = target_.functions[time.function];
    const Count& before = function.before.calls;
    const Count& after = function.after.calls;
    const bool is_counted = before.sum != 0 || after.sum != 0;
    if (function.is_module || (!is_counted && function.code != CodeChange::kChanged)) {
      return calls_.any_material;
    }
    if (!calls_.touched[time.function]) {
      return function.code == CodeChange::kSame && calls_.any_material;
    }
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
    // The same code takes longer for the calls that came: they are others.
    if (function.code == CodeChange::kSame) return true;
    const double per_call = std::fabs(time.test.effect) - std::fabs(calls);
    const double tolerance = std::log1p(options_.model.minimum_effect_percent / 100);
    return per_call <= tolerance + 2 * StandardError(time.test);
  }

  static void SetShift(const v1::Shift& shift, v1::Finding& finding) {
    finding.set_verdict(v1::Finding::SHIFTED);
    finding.set_material(false);
    *finding.mutable_shift() = shift;
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
      if (causes_.contains(at) || calls_.touched[at] || shifted_.contains(at)) return true;
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
  const TimeOptions& options_;
  MovedTimes moved_, moved_instructions_;
  InlinedTimes inlined_;
  absl::flat_hash_set<uint32_t> causes_;
  absl::flat_hash_set<uint32_t> shifted_;  // calls moved from them, to them, or past them
  std::vector<std::vector<uint32_t>> callees_;
};

}  // namespace

std::vector<v1::Finding> TimeFindings(const MatchedTarget& target, const TargetTimes& times,
                                      const TargetTotals& totals, const CallJudgement& calls,
                                      const TimeOptions& options) {
  return TargetFindings(target, times, totals, calls, options).Run();
}

}  // namespace gprofhub::reporter
