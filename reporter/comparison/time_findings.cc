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
//   callers. Or changed code leads to it, which has a finding (library_times.cc).
// - Neither its code nor its calls changed, and calls changed somewhere. Its data or the state of
//   the caches differs.
#include "reporter/comparison/time_findings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "base/grouped.h"
#include "profile/demangle.h"
#include "reporter/comparison/measure_times.h"
#include "reporter/comparison/moved_calls.h"
#include "reporter/comparison/pair_call_sites.h"
#include "reporter/comparison/time_model.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {

// Moved time. If a function's self time changed, a neighbour's changed the other way, and their sum
// did not change, the compiler moved the boundary between them. That is SHIFTED and not an alarm. A
// neighbour is a caller, a callee, a function of the same file or class, or one of the functions
// among which calls moved: a function that two callers used to inline and now call took its time
// from both.

namespace {

// Minimum effect, in standard errors, of a neighbour's opposite change.
constexpr double kOppositeErrors = 3;
// A sum of neighbours is unchanged if at most this part of the change remains.
constexpr double kRemaining = 0.5;

}  // namespace

double StandardErrorOfChange(const TimeTest& test) {
  const double sampling =
      std::hypot(std::sqrt(std::max(1.0, test.before_samples)) / test.before_exposure,
                 std::sqrt(std::max(1.0, test.after_samples)) / test.after_exposure);
  return std::max(sampling, StandardError(test) * std::min(TimeBefore(test), TimeAfter(test)));
}

MovedTimes::MovedTimes(const MatchedTarget& target, const std::vector<FunctionTime>& self)
    : target_(target) {
  for (const FunctionTime& time : self) self_[time.function] = &time;
}

void MovedTimes::AddShift(const std::vector<uint32_t>& functions) {
  std::vector<uint32_t> all = functions;
  for (const uint32_t function : functions) {
    const auto known = shift_of_.find(function);
    if (known == shift_of_.end()) continue;
    std::vector<uint32_t>& joined = shifts_[known->second];
    all.insert(all.end(), joined.begin(), joined.end());
    joined.clear();
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (const uint32_t function : all) shift_of_[function] = shifts_.size();
  shifts_.push_back(std::move(all));
}

std::optional<v1::Shift> MovedTimes::Find(const FunctionTime& time) {
  if (!indexed_) IndexNeighbours();
  for (const std::vector<uint32_t>& neighbours : NeighboursOf(time.function)) {
    std::optional<v1::Shift> shift = FindAmong(time, neighbours);
    if (shift.has_value()) return shift;
  }
  return std::nullopt;
}

std::optional<v1::Shift> MovedTimes::FindAmong(const FunctionTime& time,
                                               const std::vector<uint32_t>& neighbours) const {
  const double change = TimeAfter(time.test) - TimeBefore(time.test);
  double others = 0;
  v1::Shift shift;
  shift.set_kind(v1::Shift::TIME_MOVED);
  for (const uint32_t i : neighbours) {
    const auto found = self_.find(i);
    if (i == time.function || found == self_.end()) continue;
    const TimeTest& test = found->second->test;
    const double moved = TimeAfter(test) - TimeBefore(test);
    others += moved;
    if (moved * change < 0 && std::fabs(moved) >= kOppositeErrors * StandardErrorOfChange(test)) {
      shift.add_with(std::string(target_.functions[i].name));
    }
  }
  const bool made_up =
      std::fabs(change + others) <= kRemaining * std::fabs(change) && others * change <= 0;
  if (shift.with_size() == 0 || !made_up) return std::nullopt;
  return shift;
}

void MovedTimes::IndexNeighbours() {
  indexed_ = true;
  by_neighbour_.resize(target_.functions.size());
  for (const ArcPair& arc : target_.arcs) {
    if (arc.caller == kSpontaneous || arc.caller == arc.callee) continue;
    by_neighbour_[arc.caller].push_back(arc.callee);
    by_neighbour_[arc.callee].push_back(arc.caller);
  }
  for (const auto& [function, time] : self_) {
    const FunctionPair& pair = target_.functions[function];
    const absl::string_view file = pair.Latest().file;
    if (!file.empty()) by_file_[file].push_back(function);
    std::string scope = profile::ScopeOf(pair.name);
    if (!scope.empty()) by_scope_[std::move(scope)].push_back(function);
  }
}

std::vector<std::vector<uint32_t>> MovedTimes::NeighboursOf(uint32_t function) const {
  const FunctionPair& pair = target_.functions[function];
  std::vector<std::vector<uint32_t>> groups = {by_neighbour_[function]};
  std::sort(groups[0].begin(), groups[0].end());
  groups[0].erase(std::unique(groups[0].begin(), groups[0].end()), groups[0].end());
  const auto scope = by_scope_.find(profile::ScopeOf(pair.name));
  if (scope != by_scope_.end()) groups.push_back(scope->second);
  const auto file = by_file_.find(pair.Latest().file);
  if (file != by_file_.end()) groups.push_back(file->second);
  const auto shift = shift_of_.find(function);
  if (shift != shift_of_.end()) groups.push_back(shifts_[shift->second]);
  return groups;
}

namespace {

// Number of standard errors from which an effect is worth more runs.
constexpr double kErrorsOfDoubt = 1.5;

// More runs are too expensive for one function, and are not named.
constexpr double kMostRuns = 100;

// 0: none.
uint32_t WholeRuns(double runs) {
  return runs <= kMostRuns ? static_cast<uint32_t>(std::ceil(runs)) : 0;
}

// The runtime counts instructions in millions.
void CountSingleOnes(v1::Finding& instructions) {
  constexpr double kMillion = 1e6;
  instructions.set_before(instructions.before() * kMillion);
  instructions.set_after(instructions.after() * kMillion);
  instructions.set_standard_error(instructions.standard_error() * kMillion);
}

// The effect, in percent, that more runs must prove or exclude: the observed one, if chance rarely
// explains it.
double EffectInDoubt(const TimeTest& test, const TimeModelOptions& options) {
  const double least = 2 * options.minimum_effect_percent;
  if (test.effect < kErrorsOfDoubt * StandardError(test)) return least;
  return std::max(least, std::expm1(std::min(test.effect, 50.0)) * 100);
}

// A time is a share of the same total as its change: no part is larger than its whole.
double WeightOf(const JudgedTimes& judged, const FunctionTime& time) {
  const FunctionPair& function = judged.target.functions[time.function];
  const double share =
      std::max(ShareBefore(function, judged.totals), ShareAfter(function, judged.totals));
  if (time.metric == v1::Finding::EVENT_INSTRUCTIONS) return share;
  const double larger = std::max(TimeBefore(time.test), TimeAfter(time.test));
  return std::max(share, std::min(1.0, larger / std::max(judged.times.larger_total, 1e-300)));
}

}  // namespace

v1::Finding::Verdict QuietVerdict(const TimeTest& test, const TimeModelOptions& options) {
  const double least = std::log1p(-options.minimum_effect_percent / 100);
  const double most = std::log1p(options.minimum_effect_percent / 100);
  return IsWithin95(test, least, most) ? v1::Finding::EQUIVALENT : v1::Finding::CANNOT_TELL;
}

std::pair<double, double> IntervalPercent(const TimeTest& test, const TimeModelOptions& options) {
  const double half = HalfWidth95(test);
  std::pair<double, double> interval = {test.effect - half, test.effect + half};
  if (!test.changed && QuietVerdict(test, options) == v1::Finding::CANNOT_TELL) {
    interval = DecisionInterval(test);
  }
  return {std::expm1(interval.first) * 100, std::expm1(std::min(50.0, interval.second)) * 100};
}

std::optional<QuietTime> AsQuiet(const JudgedTimes& judged, const FunctionTime& time) {
  if (time.test.changed) return std::nullopt;
  QuietTime quiet = {&time, QuietVerdict(time.test, judged.options.model), WeightOf(judged, time)};
  if (quiet.verdict != v1::Finding::CANNOT_TELL) return quiet;
  // The increase, as a logarithm, that would be material.
  const double matters = std::log1p(kLeastCpuShare / std::max(quiet.weight, 1e-300));
  if (IsWithin95(time.test, -INFINITY, matters)) return quiet;
  const double in_doubt = EffectInDoubt(time.test, judged.options.model);
  if (HeadRunsWouldShow(time.test, in_doubt, kFewRuns)) return std::nullopt;
  return quiet;
}

v1::Finding DescribeTime(const JudgedTimes& judged, const FunctionTime& time) {
  const FunctionPair& function = judged.target.functions[time.function];
  const TimeOptions& options = judged.options;
  const TimeTest& test = time.test;
  v1::Finding finding;
  finding.set_metric(time.metric);
  finding.set_function(std::string(function.name));
  *finding.mutable_site() = PlaceOfTime(judged.target, time);
  finding.set_before(TimeBefore(test));
  finding.set_after(TimeAfter(test));
  double change = finding.after() - finding.before();
  if (time.pooled_targets > 0) {
    change = finding.before() * std::expm1(test.effect);
    finding.set_pooled_targets(time.pooled_targets);
  }
  if (test.before_samples > 0) finding.set_effect_percent(change / finding.before() * 100);
  finding.set_standard_error(StandardErrorOfChange(test));
  const auto [low, high] = IntervalPercent(test, options.model);
  finding.set_interval_low_percent(low);
  finding.set_interval_high_percent(high);
  finding.set_weight(WeightOf(judged, time));
  const double all = time.metric == v1::Finding::EVENT_INSTRUCTIONS
                         ? judged.times.larger_instructions
                         : judged.times.larger_total;
  finding.set_impact(std::min(1.0, std::fabs(change) / std::max(all, 1e-300)));
  const Belief belief = judged.calls.belief[time.function];
  if (test.changed && belief != Belief::kAccepted) {
    finding.set_verdict(v1::Finding::CANNOT_TELL);
    finding.set_unexplained(belief == Belief::kChance);
    finding.set_unconfirmed(belief == Belief::kUnconfirmed);
    finding.set_material(finding.unconfirmed() && finding.impact() >= options.minimum_impact);
  } else if (test.changed) {
    finding.set_verdict(test.effect > 0 ? v1::Finding::REGRESSED : v1::Finding::IMPROVED);
    finding.set_material(finding.impact() >= options.minimum_impact);
  } else {
    finding.set_verdict(QuietVerdict(test, options.model));
  }
  if (!test.changed && finding.verdict() == v1::Finding::CANNOT_TELL) {
    finding.set_detectable_percent(DetectablePercent(test));
    finding.set_more_runs_needed(
        WholeRuns(MoreHeadRunsFor(test, EffectInDoubt(test, options.model))));
  }
  // Estimated times do not raise an alarm.
  if (time.metric == v1::Finding::TOTAL_TIME) {
    finding.set_measured(judged.times.totals_measured);
    if (!judged.times.totals_measured) finding.set_material(false);
  }
  if (finding.metric() == v1::Finding::INSTRUCTIONS) CountSingleOnes(finding);
  return finding;
}

namespace {

constexpr double kExplainedErrors = 2;
constexpr size_t kMostNamed = 3;

}  // namespace

InlinedTimes::InlinedTimes(const MatchedTarget& target)
    : target_(target), groups_(target.functions.size()) {
  if (!target.knows_inlined) return;
  for (uint32_t i = 0; i < target.functions.size(); ++i) {
    const FunctionPair& function = target.functions[i];
    if (!function.before.present() || !function.after.present()) continue;
    std::vector<uint32_t> otherwise;
    std::set_symmetric_difference(function.before.inlined.begin(), function.before.inlined.end(),
                                  function.after.inlined.begin(), function.after.inlined.end(),
                                  std::back_inserter(otherwise));
    for (const uint32_t inlined : otherwise) groups_.Join(i, inlined);
  }
}

void InlinedTimes::AddShift(const std::vector<uint32_t>& functions) {
  for (const uint32_t function : functions) groups_.Join(functions.front(), function);
}

std::optional<v1::Shift> InlinedTimes::Find(const FunctionTime& time) const {
  const absl::Span<const uint32_t> members = groups_.Members(groups_.GroupOf(time.function));
  if (members.size() < 2) return std::nullopt;
  const double change = TimeAfter(time.test) - TimeBefore(time.test);
  double before = 0, after = 0;  // samples
  std::vector<std::pair<double, uint32_t>> others;
  for (const uint32_t member : members) {
    const FunctionPair& function = target_.functions[member];
    before += function.before.self_samples;
    after += function.after.self_samples;
    const double moved = function.after.self_samples / time.test.after_exposure -
                         function.before.self_samples / time.test.before_exposure;
    if (member != time.function && moved * change < 0)
      others.emplace_back(-std::fabs(moved), member);
  }
  const double error = std::hypot(std::sqrt(before) / time.test.before_exposure,
                                  std::sqrt(after) / time.test.after_exposure);
  const double remains =
      std::fabs(after / time.test.after_exposure - before / time.test.before_exposure);
  if (others.empty() ||
      remains > std::max(kRemaining * std::fabs(change), kExplainedErrors * error)) {
    return std::nullopt;
  }
  v1::Shift shift;
  shift.set_kind(v1::Shift::TIME_MOVED);
  std::sort(others.begin(), others.end());
  others.resize(std::min(others.size(), kMostNamed));
  for (const auto& [moved, member] : others)
    shift.add_with(std::string(target_.functions[member].name));
  return shift;
}

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
      inlined_.AddShift(together);
    }
  }

  TimesFound Run() {
    TimesFound found;
    std::optional<v1::Finding> libraries = FindLibraryTime(judged_, judged_.calls.findings);
    has_library_time_ = libraries.has_value();
    if (has_library_time_) found.findings.push_back(*std::move(libraries));
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
    finding.set_explained(Explained(time));
    if (finding.unconfirmed()) return finding;
    const v1::Shift& by_calls = calls_.shifts[time.function];
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
    if (IsUncounted(function)) return calls_.any_material || has_library_time_;
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
  bool has_library_time_ = false;
  absl::flat_hash_set<uint32_t> causes_;
  absl::flat_hash_set<uint32_t> shifted_;           // calls moved from, to or past them
  std::optional<base::Grouped<uint32_t>> callees_;  // by caller; created on first use
};

}  // namespace

TimesFound FindTimes(const JudgedTimes& judged) { return TargetFindings(judged).Run(); }

}  // namespace gprofhub::reporter
