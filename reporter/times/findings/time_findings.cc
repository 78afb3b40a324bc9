// Selects the sampled times that changed and are news. time_model.cc has the statistics,
// moved_times.cc detects moved time.
//
// A change of time may be *explained*. Then it ranks behind its cause. There are five reasons:
// - The function's calls changed, exactly, and its time per call did not. It is called more, not
//   slower.
// - A change of calls began in the function. A loop that calls more also runs longer itself.
// - It is a total time, and a function below is the cause, or cost of a function below moved.
// - It is the time of code whose calls are not counted, and calls changed somewhere: a whole module
//   without symbols, or the jumps into shared libraries (`_init`). It cannot be separated from its
//   callers.
// - Neither its code nor its calls changed, and calls changed somewhere. Its data or the state of
//   the caches differs.
#include "reporter/times/findings/time_findings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "base/memory/grouped.h"
#include "reporter/matching/same_ratio.h"
#include "reporter/shifts/moved_calls.h"
#include "reporter/times/findings/inlined_times.h"
#include "reporter/times/findings/moved_times.h"

namespace gprofhub::reporter {
namespace {

class TargetFindings {
 public:
  explicit TargetFindings(const JudgedTimes& judged)
      : judged_(judged),
        target_(judged.target),
        calls_(judged.calls),
        moved_(judged.target, judged.times.self),
        moved_instructions_(judged.target, judged.times.instructions),
        inlined_(judged.target) {
    absl::flat_hash_map<absl::string_view, uint32_t> by_name;
    if (std::any_of(calls_.shifts.begin(), calls_.shifts.end(), MovesCalls)) {
      for (uint32_t i = 0; i < target_.functions.size(); ++i) {
        by_name[target_.functions[i].name] = i;
      }
    }
    for (uint32_t i = 0; i < calls_.shifts.size(); ++i) {
      if (!MovesCalls(calls_.shifts[i])) continue;
      std::vector<uint32_t> together = {i};
      for (const std::string& name : calls_.shifts[i].with()) {
        if (const auto found = by_name.find(name); found != by_name.end()) {
          together.push_back(found->second);
        }
      }
      shifted_.insert(together.begin(), together.end());
      moved_.AddShift(together);
      moved_instructions_.AddShift(together);
    }
  }

  TimesFound Run() {
    TimesFound found;
    for (const FunctionTime& time : judged_.times.self) {
      if (!KeepQuiet(time, found)) found.findings.push_back(SelfFinding(time));
    }
    // Unchanged instructions are not worth a finding in addition to the time.
    for (const FunctionTime& time : judged_.times.instructions) {
      if (time.test.changed) found.findings.push_back(SelfFinding(time));
    }
    for (const FunctionTime& time : judged_.times.total) {
      if (!KeepQuiet(time, found)) found.findings.push_back(TotalFinding(time));
    }
    return found;
  }

 private:
  // Whether the time needs no finding now: it is unchanged or inconclusive, or too small to be
  // listed.
  bool KeepQuiet(const FunctionTime& time, TimesFound& found) const {
    if (!time.test.changed && !WorthMentioning(time)) return true;
    const std::optional<QuietTime> quiet = AsQuiet(judged_, time);
    if (quiet.has_value()) found.quiet.push_back(*quiet);
    return quiet.has_value();
  }

  v1::Finding SelfFinding(const FunctionTime& time) {
    v1::Finding finding = DescribeTime(judged_, time);
    if (!time.test.changed || finding.unexplained()) return finding;
    const v1::Shift& by_calls = calls_.shifts[time.function];
    finding.set_explained(Explained(time));
    // The same code takes longer on other input: a side effect of a change elsewhere.
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

  // Called after all self times, because it uses their causes.
  v1::Finding TotalFinding(const FunctionTime& time) {
    v1::Finding finding = DescribeTime(judged_, time);
    if (time.test.changed && !finding.unexplained())
      finding.set_explained(HasCauseBelow(time.function));
    return finding;
  }

  bool WorthMentioning(const FunctionTime& time) const {
    const FunctionPair& function = target_.functions[time.function];
    if (!function.before.present() || !function.after.present()) return false;
    const bool total = time.metric == v1::Finding::TOTAL_TIME;
    const auto samples = [&](const FunctionSide& side) {
      return side.self_samples + (total ? side.child_samples : 0);
    };
    const TargetTotals& totals = judged_.totals;
    const double share = judged_.options.minimum_share;
    return (totals.before_samples > 0 &&
            samples(function.before) >= share * totals.before_samples) ||
           (totals.after_samples > 0 && samples(function.after) >= share * totals.after_samples);
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
    // A change of calls began in the function.
    if (SameRatio(before.sum, target_.repetitions_before, after.sum, target_.repetitions_after)) {
      return true;
    }
    // A vanished or new function has a finding of its own.
    if (before.sum == 0 || after.sum == 0) return true;
    const double calls = std::log(
        (static_cast<double>(after.sum) / static_cast<double>(target_.repetitions_after)) /
        (static_cast<double>(before.sum) / static_cast<double>(target_.repetitions_before)));
    if ((calls > 0) != (time.test.effect > 0)) return false;
    // The same code takes longer because the new calls differ from the others.
    if (function.code == CodeChange::kSame) return true;
    const double per_call = std::fabs(time.test.effect) - std::fabs(calls);
    const double tolerance = std::log1p(judged_.options.model.minimum_effect_percent / 100);
    return per_call <= tolerance + 2 * StandardError(time.test);
  }

  static void SetShift(const v1::Shift& shift, v1::Finding& finding) {
    finding.set_verdict(v1::Finding::SHIFTED);
    finding.set_material(false);
    *finding.mutable_shift() = shift;
  }

  // Whether a finding that is a cause is about a function reachable from `function`.
  bool HasCauseBelow(uint32_t function) {
    if (!callees_.has_value()) {
      callees_.emplace(target_.functions.size(), [this](const auto& add) {
        for (const ArcPair& arc : target_.arcs) {
          if (arc.caller != kSpontaneous) add(arc.caller, arc.callee);
        }
      });
    }
    const base::Grouped<uint32_t>& callees = *callees_;
    std::vector<uint32_t> stack = {function};
    absl::flat_hash_set<uint32_t> seen = {function};
    while (!stack.empty()) {
      const uint32_t at = stack.back();
      stack.pop_back();
      if (causes_.contains(at) || calls_.touched[at] || shifted_.contains(at)) return true;
      for (const uint32_t callee : callees[at]) {
        if (seen.insert(callee).second) stack.push_back(callee);
      }
    }
    return false;
  }

  const JudgedTimes& judged_;
  const MatchedTarget& target_;
  const CallJudgement& calls_;
  MovedTimes moved_, moved_instructions_;
  InlinedTimes inlined_;
  absl::flat_hash_set<uint32_t> causes_;
  absl::flat_hash_set<uint32_t> shifted_;           // calls moved from, to or past them
  std::optional<base::Grouped<uint32_t>> callees_;  // by caller; created on first use
};

}  // namespace

TimesFound FindTimes(const JudgedTimes& judged) { return TargetFindings(judged).Run(); }

}  // namespace gprofhub::reporter
