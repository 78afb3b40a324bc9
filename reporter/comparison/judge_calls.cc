// Judges the counts of one target: where the changes of call counts began
// (reporter/comparison/cost_by_origin.cc), their impact, and which of them are chance.
//
// An arc is SHIFTED (moved) if its calls changed while the total calls of its callee did not, or
// changed the other way: the calls come from elsewhere. A function whose cost only moved
// (cost_shifts.cc) is SHIFTED as a whole.
//
// change_costs.cc computes the impact: the share of CPU, and of other costs. A finding is material
// from a minimum impact on.
#include "reporter/comparison/judge_calls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "profile/names.h"
#include "reporter/comparison/code_evidence.h"
#include "reporter/comparison/cost_by_origin.h"
#include "reporter/comparison/count_history.h"
#include "reporter/comparison/forks.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {

// A test of a few milliseconds has at most one sample, and the function it hits is chance. But the
// same functions run in other tests, so the cost of a call is estimated over all targets. If these
// have few samples, too, the prior dominates: a function's samples are Poisson of (calls × cost),
// and the cost has a gamma prior of shape 1 with the mean of all calls. Its posterior mean is
//
//   (samples + 1) / (calls + 1 / mean)

void CallCosts::Add(const MatchedTarget& target) {
  for (const FunctionPair& function : target.functions) {
    if (function.is_module) continue;
    // Quantities are not calls and take no time: counted in, they would make calls seem free.
    if (profile::IsQuantity(function.name)) continue;
    Sum* const of_function = tells_functions_apart_ ? &by_function_[function.name] : nullptr;
    for (const FunctionSide* side : {&function.before, &function.after}) {
      // Without calls (main, code without -pg) samples do not give a cost per call.
      if (side->calls.sum == 0) continue;
      const double calls = static_cast<double>(side->calls.sum);
      all_.samples += side->self_samples;
      all_.calls += calls;
      if (of_function == nullptr) continue;
      of_function->samples += side->self_samples;
      of_function->calls += calls;
    }
  }
}

double CallCosts::PerAnyCall() const { return all_.calls == 0 ? 0 : all_.samples / all_.calls; }

double CallCosts::PerCall(absl::string_view function) const {
  const double mean = PerAnyCall();
  if (mean == 0) return 0;
  const auto found = by_function_.find(function);
  if (found == by_function_.end()) return mean;
  return (found->second.samples + 1) / (found->second.calls + 1 / mean);
}

// Impact of a change: a share of the target's CPU. For each function it is the self samples times
// the fraction of its calls that changed, blamed on where the change began
// (reporter/comparison/cost_by_origin.cc). A short test has few samples, and which functions they
// hit is chance. So a hundred pseudo-samples are added, distributed by calls: until samples show
// otherwise, a call costs the average. In a test with fewer samples than that, the cost of a call
// is estimated over all tests (call_costs.cc), and the divisor is chosen when all are judged
// (reporter/comparison/compare_sides.cc). If no test has a sample, CPU is unknown: the impact is a
// share of calls.
//
// Other costs are not visible in samples. Allocated or held bytes are not calls, and take no time.
// A caller of fsync waits: a second fsync may double the time of a commit at no CPU time. These
// impacts are shares of the target's own counts of bytes or waiting calls. They are blamed in the
// same way: a caller of a function that calls fsync is to blame if it calls that function more
// often.

namespace {

constexpr double kSamplesOfDoubt = TargetTotals::kEnoughSamples;

// Smaller changes of bytes per execution are irrelevant.
constexpr double kLeastBytes = 64 * 1024;

// Functions of libc whose cost is waiting, for a disk or a clock, in proportion to their calls.
// They are visible if calls of library functions are counted.
constexpr std::array<absl::string_view, 11> kWaiting = {
    "fsync", "fdatasync", "msync",      "sync",      "syncfs",         "sync_file_range",
    "sleep", "usleep",    "thrd_sleep", "nanosleep", "clock_nanosleep"};

bool IsWaiting(const FunctionPair& function) {
  return absl::c_linear_search(kWaiting, function.name);
}
bool IsBytes(const FunctionPair& function) {
  return profile::UnitOfCalls(function.name) == profile::CountUnit::kBytes;
}

double ChangeOf(const CountChange& change) {
  return change.answer == CountAnswer::kChanged ? std::fabs(change.after - change.before) : 0;
}

class Costs {
 public:
  Costs(const MatchedTarget& target, const TargetTotals& totals, const CallCosts& costs,
        const std::vector<CountChange>& changes, const ChangeOrigins& origins)
      : target_(target), totals_(totals), costs_(costs), changes_(changes), origins_(origins) {
    for (size_t i = 0; i < changes.size(); ++i) {
      if (!profile::IsQuantity(target.functions[i].name)) all_calls_ += Larger(i);
    }
  }

  CostByOrigin Cpu() const {
    std::vector<double> cost;
    for (uint32_t i = 0; i < target_.functions.size(); ++i) cost.push_back(CpuOf(i));
    return ShareOutCost(target_, cost, origins_);
  }

  // Allocated bytes, and bytes in use at the peak: each as a share of its kind. Empty if neither
  // changed by a relevant amount.
  CostByOrigin Bytes() const {
    std::vector<double> cost(target_.functions.size(), 0);
    bool matters = false;
    for (size_t i = 0; i < cost.size(); ++i) {
      if (!IsBytes(target_.functions[i]) || ChangeOf(changes_[i]) < kLeastBytes) continue;
      cost[i] = ChangeOf(changes_[i]) / Larger(i);
      matters = true;
    }
    return matters ? ShareOutCost(target_, cost, origins_) : CostByOrigin();
  }

  // Waiting functions: a share of the calls of all of them. Empty if none changed.
  CostByOrigin Waits() const {
    std::vector<double> cost(target_.functions.size(), 0);
    double all = 0, changed = 0;
    for (size_t i = 0; i < cost.size(); ++i) {
      if (!IsWaiting(target_.functions[i])) continue;
      cost[i] = ChangeOf(changes_[i]);
      changed += cost[i];
      all += Larger(i);
    }
    if (changed == 0) return {};
    for (double& one : cost) one /= all;
    return ShareOutCost(target_, cost, origins_);
  }

 private:
  // Calls of a function per execution, on the side with more.
  double Larger(size_t index) const {
    const FunctionPair& function = target_.functions[index];
    return std::max(target_.PerBefore(function.before.calls.sum),
                    target_.PerAfter(function.after.calls.sum));
  }

  // Cost of the change of the function's calls in the function itself, as a share of the target's
  // CPU; without samples, of its calls.
  double CpuOf(uint32_t index) const {
    const FunctionPair& function = target_.functions[index];
    const double change = ChangeOf(changes_[index]);
    if (change == 0 || profile::IsQuantity(function.name)) return 0;
    const double before = changes_[index].before;
    const double after = changes_[index].after;
    // The side with more calls has the better estimate; a side without samples has none.
    const bool by_after =
        totals_.before_samples == 0 || (after > before && totals_.after_samples > 0);
    const double total = by_after ? totals_.after_samples : totals_.before_samples;
    if (totals_.IsTiny() && costs_.known()) {
      const uint64_t executions = std::max(target_.repetitions_before, target_.repetitions_after);
      return costs_.PerCall(function.name) * change * static_cast<double>(executions) /
             totals_.OfTiny();
    }
    const double samples = by_after ? function.after.self_samples : function.before.self_samples;
    const double sampled = samples * change / std::max(before, after);
    const double guessed = kSamplesOfDoubt * change / std::max(all_calls_, 1e-300);
    return std::min(1.0, (sampled + guessed) / (total + kSamplesOfDoubt));
  }

  const MatchedTarget& target_;
  const TargetTotals& totals_;
  const CallCosts& costs_;
  const std::vector<CountChange>& changes_;
  const ChangeOrigins& origins_;
  double all_calls_ = 0;
};

}  // namespace

ChangeCosts CostsOfChanges(const MatchedTarget& target, const TargetTotals& totals,
                           const CallCosts& costs, const std::vector<CountChange>& changes,
                           const ChangeOrigins& origins) {
  const Costs all(target, totals, costs, changes, origins);
  return {all.Cpu(), all.Bytes(), all.Waits()};
}

void SetArc(const MatchedTarget& target, const ArcPair& arc, v1::Finding& finding) {
  finding.set_caller(std::string(arc.caller == kSpontaneous ? profile::kSpontaneousName
                                                            : target.functions[arc.caller].name));
  finding.set_caller_calls_before(target.PerBefore(CallerCalls(target, arc.caller, false)));
  finding.set_caller_calls_after(target.PerAfter(CallerCalls(target, arc.caller, true)));
  finding.clear_site();
  double largest = -1;
  for (const CallSitePair& site : arc.sites) {
    const double change = std::fabs(target.PerAfter(site.after) - target.PerBefore(site.before));
    if (change <= largest) continue;
    largest = change;
    finding.mutable_site()->set_file(site.file);
    finding.mutable_site()->set_line(site.line_after != 0 ? site.line_after : site.line_before);
  }
}

bool CostsEnough(const v1::Finding& finding, double minimum_impact) {
  return RankingShare(finding) >= minimum_impact || CostsOtherThanCpu(finding);
}

namespace {

constexpr int32_t kNoFinding = -1;
// Of the edited functions that may explain a change in other code, this number is named.
constexpr size_t kMostEdited = 3;

// Tests all counts of a target.
class CountTests {
 public:
  explicit CountTests(const MatchedTarget& target) : target_(target) { FindWhatVaries(); }

  CountChange Test(const Count& before, const Count& after) const {
    return JudgeCount(Before(before), After(after), usual_spread_);
  }

 private:
  SideCount Before(const Count& count) const {
    return {&count, target_.runs_before, target_.repetitions_before, steady_before_};
  }
  SideCount After(const Count& count) const {
    return {&count, target_.runs_after, target_.repetitions_after, steady_after_};
  }

  // Scans all counts of the target before the first verdict.
  void FindWhatVaries() {
    bool repeat_before = true, repeat_after = true;
    for (const ArcPair& arc : target_.arcs) {
      repeat_before = repeat_before && arc.before.repeats;
      repeat_after = repeat_after && arc.after.repeats;
    }
    std::vector<double> spreads;
    for (const FunctionPair& function : target_.functions) {
      const Count& before = function.before.calls;
      const Count& after = function.after.calls;
      repeat_before = repeat_before && before.repeats;
      repeat_after = repeat_after && after.repeats;
      if (before.repeats && after.repeats) continue;
      const std::optional<double> spread = SpreadOf(Before(before), After(after));
      if (spread.has_value()) spreads.push_back(*spread);
    }
    steady_before_ = repeat_before && target_.repetitions_before > target_.runs_before;
    steady_after_ = repeat_after && target_.repetitions_after > target_.runs_after;
    usual_spread_ = UsualSpread(std::move(spreads));
  }
  const MatchedTarget& target_;
  // Typical spread of the target's varying counts, over its runs.
  double usual_spread_ = 0;
  // Whether executions within the side's runs agree.
  bool steady_before_ = false;
  bool steady_after_ = false;
};

// Builds the target's findings.
class Findings {
 public:
  Findings(const MatchedTarget& target, const TargetTotals& totals, const CallCosts& costs,
           const CostShifts& shifts, double minimum_impact, const std::vector<CountChange>& changes,
           const std::vector<CountChange>& arc_changes, const ChangeOrigins& origins)
      : target_(target),
        totals_(totals),
        costs_(costs),
        shifts_(shifts),
        minimum_impact_(minimum_impact),
        changes_(changes),
        arc_changes_(arc_changes),
        change_costs_(CostsOfChanges(target, totals, costs, changes, origins)) {}

  v1::Finding FunctionFinding(uint32_t index) const {
    v1::Finding finding;
    const FunctionPair& function = target_.functions[index];
    const Count& before = function.before.calls;
    const Count& after = function.after.calls;
    Describe(function, before, after, changes_[index], finding);
    SetCosts(index, &CostByOrigin::functions, finding);
    const FunctionSide& side = function.Latest();
    finding.mutable_site()->set_file(std::string(side.file));
    finding.mutable_site()->set_line(side.line);
    SetVerdict(VerdictOf(finding, changes_[index], function), finding);
    const v1::Shift& shift = shifts_[index];
    if (shift.kind() != v1::Shift::KIND_UNSPECIFIED && OnlyMoved(index)) {
      // What was counted, not what it would have been.
      if (before.restored && !function.before.present()) finding.set_before(0);
      if (after.restored && !function.after.present()) finding.set_after(0);
      if (finding.before() == 0 || finding.after() == 0) finding.clear_effect_percent();
      *finding.mutable_shift() = shift;
      SetVerdict(v1::Finding::SHIFTED, finding);
    }
    return finding;
  }

  // Turns the finding into a chance variation, or an unconfirmed change.
  void Doubt(Belief belief, v1::Finding& finding) const {
    finding.clear_shift();
    (belief == Belief::kChance) ? finding.set_unexplained(true) : finding.set_unconfirmed(true);
    SetVerdict(v1::Finding::CANNOT_TELL, finding);
  }

  v1::Finding ArcFinding(size_t index) const {
    v1::Finding finding;
    const ArcPair& arc = target_.arcs[index];
    const FunctionPair& callee = target_.functions[arc.callee];
    Describe(callee, arc.before, arc.after, arc_changes_[index], finding);
    SetCosts(index, &CostByOrigin::arcs, finding);
    SetArc(target_, arc, finding);
    const double in_all = changes_[arc.callee].after - changes_[arc.callee].before;
    const double here = finding.after() - finding.before();
    const v1::Shift& shift = shifts_[arc.callee];
    if (MovesCalls(shift) && OnlyMoved(arc.callee)) {
      *finding.mutable_shift() = shift;
      SetVerdict(v1::Finding::SHIFTED, finding);
    } else if (changes_[arc.callee].answer != CountAnswer::kChanged || in_all * here < 0) {
      finding.mutable_shift()->set_kind(v1::Shift::CALLED_FROM_ELSEWHERE);
      SetVerdict(v1::Finding::SHIFTED, finding);
    } else {
      SetVerdict(VerdictOf(finding, arc_changes_[index], callee), finding);
    }
    return finding;
  }

 private:
  // A function that moved and is also called more often is an ordinary change. Where inlining hides
  // calls, only restored counts show that.
  bool OnlyMoved(uint32_t function) const {
    if (changes_[function].answer == CountAnswer::kSame) return true;
    const FunctionPair& pair = target_.functions[function];
    return MovesCalls(shifts_[function]) && !pair.before.calls.restored &&
           !pair.after.calls.restored;
  }
  // Fills in the fields that findings of functions and of arcs share.
  void Describe(const FunctionPair& function, const Count& before, const Count& after,
                const CountChange& tested, v1::Finding& finding) const {
    finding.set_metric(v1::Finding::CALLS);
    finding.set_function(std::string(function.name));
    finding.set_before(tested.before);
    finding.set_after(tested.after);
    finding.set_exact(tested.certainty == CountCertainty::kExact);
    finding.set_one_run(tested.certainty == CountCertainty::kOneRun);
    finding.set_no_longer_exact(after.repeated_before);
    finding.set_interval_low_percent(tested.low_percent);
    finding.set_interval_high_percent(tested.high_percent);
    if (before.sum != 0 && tested.before > 0) {
      finding.set_effect_percent((finding.after() / finding.before() - 1) * 100);
    }
    const double share_before = ShareBefore(function, totals_);
    const double share_after = ShareAfter(function, totals_);
    finding.set_weight(std::max(share_before, share_after));
  }

  // `of`: the member for functions or for arcs; `index` is the function or arc.
  void SetCosts(size_t index, std::vector<double> CostByOrigin::*of, v1::Finding& finding) const {
    const auto share = [&](const CostByOrigin& cost) {
      return (cost.*of).empty() ? 0 : std::min(1.0, (cost.*of)[index]);
    };
    finding.set_share_of_bytes(share(change_costs_.bytes));
    finding.set_share_of_waits(share(change_costs_.waits));
    // Bytes do not take time, sampled or not.
    if (costs_.known() || CountsBytes(finding)) {
      finding.set_impact(share(change_costs_.cpu));
      // Impacts include the guessed cost of calls without a sample; the function has at least that.
      finding.set_weight(std::max(finding.weight(), finding.impact()));
    } else {
      finding.set_share_of_calls(share(change_costs_.cpu));
    }
  }

  // NEW and VANISHED apply to functions; a new or vanished arc only changes how often its callee is
  // called.
  v1::Finding::Verdict VerdictOf(const v1::Finding& finding, const CountChange& tested,
                                 const FunctionPair& function) const {
    if (tested.answer == CountAnswer::kEquivalent) return v1::Finding::EQUIVALENT;
    if (tested.answer == CountAnswer::kCannotTell) return v1::Finding::CANNOT_TELL;
    if (function.before.calls.sum == 0) return v1::Finding::NEW;
    if (function.after.calls.sum == 0) return v1::Finding::VANISHED;
    return finding.after() > finding.before() ? v1::Finding::REGRESSED : v1::Finding::IMPROVED;
  }

  void SetVerdict(v1::Finding::Verdict verdict, v1::Finding& finding) const {
    finding.set_verdict(verdict);
    finding.set_material(MayHaveChanged(finding) && CostsEnough(finding, minimum_impact_));
  }

  const MatchedTarget& target_;
  const TargetTotals& totals_;
  const CallCosts& costs_;
  const CostShifts& shifts_;
  const double minimum_impact_;
  const std::vector<CountChange>& changes_;      // by function
  const std::vector<CountChange>& arc_changes_;  // by arc
  const ChangeCosts change_costs_;
};

double Share(const FunctionSide& side, double total) {
  return std::min(1.0, (side.self_samples + side.child_samples) / (total + kSamplesOfDoubt));
}

}  // namespace

double ShareBefore(const FunctionPair& function, const TargetTotals& totals) {
  return Share(function.before, totals.before_samples);
}

double ShareAfter(const FunctionPair& function, const TargetTotals& totals) {
  return Share(function.after, totals.after_samples);
}

CallJudge::CallJudge(const MatchedTarget& target, const TargetTotals& totals,
                     const CallCosts& costs, double minimum_impact)
    : target_(target),
      totals_(totals),
      costs_(costs),
      minimum_impact_(minimum_impact),
      evidence_(target) {
  const CountTests tests(target);
  changes_.reserve(target.functions.size());
  arc_changes_.reserve(target.arcs.size());
  for (const FunctionPair& function : target.functions) {
    changes_.push_back(tests.Test(function.before.calls, function.after.calls));
  }
  for (const ArcPair& arc : target.arcs) {
    arc_changes_.push_back(tests.Test(arc.before, arc.after));
  }
  origins_.emplace(target_, arc_changes_, WhatIsApart());
}

// Whether runs show that the arc's count changed, wherever code did: both sides repeat it, or the
// head does and data that changed code stored may be the reason.
bool CallJudge::IsSettled(size_t arc) const {
  const CountChange& change = arc_changes_[arc];
  const bool several_runs = target_.runs_before > 1 && target_.runs_after > 1;
  return change.certainty == CountCertainty::kExact &&
         (several_runs || (evidence_.any_changed() && change.confirmed));
}

// Functions whose changes are chance or unconfirmed. If the runs of both sides agree, or changed
// code may have stored other data and the head's count is confirmed, then data changed.
std::vector<bool> CallJudge::WhatIsApart() const {
  std::vector<bool> apart = evidence_.Apart();
  if (apart.empty()) return apart;
  std::vector<bool> varies(apart.size(), false), changed(apart.size(), false);
  for (size_t i = 0; i < target_.arcs.size(); ++i) {
    if (arc_changes_[i].answer != CountAnswer::kChanged) continue;
    const uint32_t caller = target_.arcs[i].caller;
    const size_t node = caller == kSpontaneous ? apart.size() - 1 : caller;
    changed[node] = true;
    varies[node] = varies[node] || target_.other_environment || !IsSettled(i);
  }
  for (size_t node = 0; node < apart.size(); ++node) {
    if (changed[node] && !varies[node]) apart[node] = false;
  }
  return apart;
}

// Bytes of all callers are counted under one name, but are unrelated: a longer path adds some bytes
// in one function, which is no evidence about others.
bool CallJudge::IsQuantity(const ArcPair& arc) const {
  return profile::IsQuantity(target_.functions[arc.callee].name);
}

void CallJudge::AddNoise(NoisyFunctions& noisy) const {
  for (size_t i = 0; i < target_.arcs.size(); ++i) {
    const ArcPair& arc = target_.arcs[i];
    if (IsQuantity(arc)) continue;
    const absl::string_view callee = target_.functions[arc.callee].name;
    if (arc_changes_[i].certainty == CountCertainty::kVaries) {
      noisy.varying.insert(callee);
    } else if (origins_->Began(i) && evidence_.IsApart(arc.caller) && !IsSettled(i)) {
      (evidence_.any_changed() ? noisy.suspected : noisy.varying).insert(callee);
    }
  }
}

CallJudgement CallJudge::Run(const NoisyFunctions& noisy, CostShifts shifts) {
  const size_t functions = target_.functions.size(), arcs = target_.arcs.size();
  bool restless_calls = false, restless_quantities = false;
  for (size_t i = 0; i < arcs; ++i) {
    const bool apart = origins_->Began(i) && evidence_.IsApart(target_.arcs[i].caller);
    (IsQuantity(target_.arcs[i]) ? restless_quantities : restless_calls) |= apart;
  }
  // Without changed code nothing is inlined, outlined or split.
  for (uint32_t i = 0; i < functions; ++i) {
    if (evidence_.IsApart(i) && MovesCalls(shifts[i])) shifts[i].Clear();
  }
  const Findings make(target_, totals_, costs_, shifts, minimum_impact_, changes_, arc_changes_,
                      *origins_);
  CallJudgement judgement;
  std::vector<v1::Finding>& findings = judgement.findings;
  judgement.touched.assign(functions, false);
  // If neither code nor counts changed, different times come from the machine or from code layout.
  const bool nothing_changed =
      evidence_.known() && !evidence_.any_changed() &&
      std::all_of(changes_.begin(), changes_.end(),
                  [](const CountChange& change) { return change.answer != CountAnswer::kChanged; });
  for (uint32_t i = 0; i < functions; ++i) {
    judgement.belief.push_back(!evidence_.IsApart(i) ? Belief::kAccepted
                               : nothing_changed     ? Belief::kChance
                                                     : evidence_.JudgeApart());
  }
  std::vector<int32_t> finding_of_arc(arcs, kNoFinding);
  std::optional<NearbyEdits> nearby;  // created on first use
  std::vector<uint8_t> asked;         // computed on first use
  std::vector<Belief> belief_in_arc(arcs, Belief::kAccepted);
  // By function: the best belief in a change that began on an incoming arc.
  std::vector<std::optional<Belief>> belief_in_arcs_to(functions);
  for (size_t i = 0; i < arcs; ++i) {
    if (!origins_->Began(i)) continue;
    const uint32_t callee = target_.arcs[i].callee;
    const bool restless = restless_calls || (restless_quantities && IsQuantity(target_.arcs[i]));
    const Belief belief = evidence_.Judge(target_.arcs[i], arc_changes_[i], noisy, restless);
    belief_in_arc[i] = belief;
    std::optional<Belief>& best = belief_in_arcs_to[callee];
    best = std::min(best.value_or(belief), belief);
    finding_of_arc[i] = static_cast<int32_t>(findings.size());
    findings.push_back(make.ArcFinding(i));
    findings.back().set_may_follow(origins_->parts()[i].may_follow);
    if (belief != Belief::kAccepted) make.Doubt(belief, findings.back());
    const uint32_t caller = target_.arcs[i].caller;
    if (MayBeChance(findings.back()) && caller != kSpontaneous) {
      if (asked.empty()) asked = AskedNear(target_);
      for (std::string& name : NamesOfAsked(asked[caller])) {
        findings.back().add_varies_with(std::move(name));
      }
    }
    const bool is_in_changed_code =
        caller == kSpontaneous || target_.functions[caller].code != CodeChange::kSame;
    if (belief == Belief::kAccepted && (is_in_changed_code || !evidence_.any_changed())) continue;
    if (belief == Belief::kChance || !(findings.back().material() || totals_.IsTiny())) continue;
    if (!nearby.has_value()) nearby.emplace(target_);
    for (std::string& name : nearby->Of(callee, kMostEdited)) {
      findings.back().add_edited(std::move(name));
    }
  }
  for (uint32_t i = 0; i < functions; ++i) {
    const bool moved = shifts[i].kind() != v1::Shift::KIND_UNSPECIFIED;
    const bool changed =
        changes_[i].answer != CountAnswer::kSame && changes_[i].answer != CountAnswer::kEquivalent;
    if (!changed && !moved) continue;
    judgement.touched[i] = changed;
    const std::optional<size_t> origin =
        changed && origins_->Follows(i) ? origins_->OriginOf(i) : std::nullopt;
    if (origin) {
      findings[finding_of_arc[*origin]].add_follows(std::string(target_.functions[i].name));
    }
    judgement.belief[i] = origin                             ? belief_in_arc[*origin]
                          : belief_in_arcs_to[i].has_value() ? *belief_in_arcs_to[i]
                          : !evidence_.IsApart(i)            ? Belief::kAccepted
                          : evidence_.any_changed()          ? Belief::kUnconfirmed
                                                             : Belief::kChance;
    // A varying count whose change is not significant did not begin anywhere.
    const bool inconclusive = judgement.belief[i] == Belief::kUnconfirmed &&
                              changes_[i].answer == CountAnswer::kCannotTell;
    if (!moved && !inconclusive && judgement.belief[i] != Belief::kAccepted) continue;
    findings.push_back(make.FunctionFinding(i));
  }
  for (uint32_t i = 0; i < functions; ++i) {
    const std::optional<size_t> leader = origins_->LeaderOf(i);
    if (leader)
      findings[finding_of_arc[*leader]].add_follows(std::string(target_.functions[i].name));
  }
  for (const v1::Finding& finding : findings) {
    judgement.any_material |= finding.material() && RankingShare(finding) >= minimum_impact_;
  }
  for (size_t i = 0; i < arcs; ++i) {
    const uint32_t caller = target_.arcs[i].caller;
    if (!origins_->Began(i) || caller == kSpontaneous) continue;
    if (findings[finding_of_arc[i]].material()) judgement.touched[caller] = true;
  }
  judgement.shifts = std::move(shifts);
  return judgement;
}

}  // namespace gprofhub::reporter
