// Judges the counts of one target: where the changes of call counts began
// (reporter/counts/change_origins.cc), their impact, and which of them are chance.
//
// An arc is SHIFTED (moved) if its calls changed while the total calls of its callee did not, or
// changed the other way: the calls come from elsewhere. A function whose cost only moved
// (cost_shifts.cc) is SHIFTED as a whole.
//
// change_costs.cc computes the impact: the share of CPU, and of other costs. A finding is material
// from a minimum impact on.
#include "reporter/counts/judge_calls.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "profile/names/quantities.h"
#include "reporter/counts/change_origins.h"
#include "reporter/counts/cost_by_origin.h"
#include "reporter/counts/forks.h"
#include "reporter/counts/judge_count.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {
namespace {

constexpr double kSamplesOfDoubt = TargetTotals::kEnoughSamples;
constexpr int32_t kNone = -1;

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
    const FunctionSide& side = function.after.present() ? function.after : function.before;
    finding.mutable_site()->set_file(std::string(side.file));
    finding.mutable_site()->set_line(side.line);
    SetVerdict(VerdictOf(finding, changes_[index], function), finding);
    const v1::Shift& shift = shifts_[index];
    // A function that moved and is also called more often is an ordinary change.
    const bool only_moved = MovesCalls(shift) || changes_[index].answer == CountAnswer::kSame;
    if (shift.kind() != v1::Shift::KIND_UNSPECIFIED && only_moved) {
      *finding.mutable_shift() = shift;
      SetVerdict(v1::Finding::SHIFTED, finding);
    }
    return finding;
  }

  // Turns the finding into a chance variation.
  void CallChance(v1::Finding& finding) const {
    finding.clear_shift();
    finding.set_unexplained(true);
    SetVerdict(v1::Finding::CANNOT_TELL, finding);
  }

  v1::Finding ArcFinding(size_t index) const {
    v1::Finding finding;
    const ArcPair& arc = target_.arcs[index];
    const FunctionPair& callee = target_.functions[arc.callee];
    Describe(callee, arc.before, arc.after, arc_changes_[index], finding);
    SetCosts(index, &CostByOrigin::arcs, finding);
    if (arc.caller == kSpontaneous) {
      finding.set_caller("<spontaneous>");
    } else {
      finding.set_caller(std::string(target_.functions[arc.caller].name));
    }
    finding.set_caller_calls_before(PerBefore(CallerCalls(target_, arc.caller, false)));
    finding.set_caller_calls_after(PerAfter(CallerCalls(target_, arc.caller, true)));
    double largest = -1;
    for (const CallSitePair& site : arc.sites) {
      const double change = std::fabs(PerAfter(site.after) - PerBefore(site.before));
      if (change <= largest) continue;
      largest = change;
      finding.mutable_site()->set_file(site.file);
      finding.mutable_site()->set_line(site.line_after != 0 ? site.line_after : site.line_before);
    }
    const double in_all = changes_[arc.callee].after - changes_[arc.callee].before;
    const double here = finding.after() - finding.before();
    const v1::Shift& shift = shifts_[arc.callee];
    if (MovesCalls(shift)) {
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
  double PerBefore(const Count& count) const { return PerBefore(count.sum); }
  double PerAfter(const Count& count) const { return PerAfter(count.sum); }
  double PerBefore(uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(target_.repetitions_before);
  }
  double PerAfter(uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(target_.repetitions_after);
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
    const bool decided = verdict != v1::Finding::EQUIVALENT && verdict != v1::Finding::SHIFTED &&
                         verdict != v1::Finding::CANNOT_TELL;
    finding.set_material(decided &&
                         (RankingShare(finding) >= minimum_impact_ || CostsOtherThanCpu(finding)));
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

// Functions whose changes are chance. If the runs of both sides agree, the change is not chance
// even if no changed code reaches it: then its data changed.
std::vector<bool> CallJudge::WhatIsApart() const {
  std::vector<bool> apart = evidence_.Apart();
  if (apart.empty() || target_.runs_before < 2 || target_.runs_after < 2) return apart;
  std::vector<bool> varies(apart.size(), false), changed(apart.size(), false);
  for (size_t i = 0; i < target_.arcs.size(); ++i) {
    if (arc_changes_[i].answer != CountAnswer::kChanged) continue;
    const uint32_t caller = target_.arcs[i].caller;
    const size_t node = caller == kSpontaneous ? apart.size() - 1 : caller;
    changed[node] = true;
    varies[node] = varies[node] || arc_changes_[i].certainty != CountCertainty::kExact;
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
    const bool varies = arc_changes_[i].certainty == CountCertainty::kVaries;
    if (varies || (origins_->Began(i) && evidence_.IsChance(arc.caller))) {
      noisy.insert(target_.functions[arc.callee].name);
    }
  }
}

CallJudgement CallJudge::Run(const NoisyFunctions& noisy, CostShifts shifts) {
  const size_t functions = target_.functions.size(), arcs = target_.arcs.size();
  bool restless_calls = false, restless_quantities = false;
  for (size_t i = 0; i < arcs; ++i) {
    const bool chance = origins_->Began(i) && evidence_.IsChance(target_.arcs[i].caller);
    (IsQuantity(target_.arcs[i]) ? restless_quantities : restless_calls) |= chance;
  }
  // Without changed code nothing is inlined, outlined or split.
  for (uint32_t i = 0; i < functions; ++i) {
    if (evidence_.IsChance(i) && MovesCalls(shifts[i])) shifts[i].Clear();
  }
  const Findings make(target_, totals_, costs_, shifts, minimum_impact_, changes_, arc_changes_,
                      *origins_);
  CallJudgement judgement;
  std::vector<v1::Finding>& findings = judgement.findings;
  judgement.touched.assign(functions, false);
  const bool several_runs = target_.runs_before > 1 && target_.runs_after > 1;
  // If neither code nor counts changed, different times come from the machine or from code layout.
  const bool nothing_changed =
      evidence_.known() && !evidence_.any_changed() &&
      std::all_of(changes_.begin(), changes_.end(),
                  [](const CountChange& change) { return change.answer != CountAnswer::kChanged; });
  for (uint32_t i = 0; i < functions; ++i) {
    const bool is_chance = evidence_.IsChance(i);
    judgement.chance.push_back(is_chance && (nothing_changed || !several_runs));
  }
  std::vector<int32_t> finding_of_arc(arcs, kNone);
  std::vector<bool> believed(arcs, false);
  // By function: whether all changes that began on its incoming arcs are chance.
  std::vector<bool> by_chance(functions, false), began_to(functions, false);
  for (size_t i = 0; i < arcs; ++i) {
    if (!origins_->Began(i)) continue;
    const uint32_t callee = target_.arcs[i].callee;
    const bool restless = restless_calls || (restless_quantities && IsQuantity(target_.arcs[i]));
    believed[i] = evidence_.Supports(target_.arcs[i], arc_changes_[i], noisy, restless);
    by_chance[callee] = !believed[i] && (by_chance[callee] || !began_to[callee]);
    began_to[callee] = true;
    finding_of_arc[i] = static_cast<int32_t>(findings.size());
    findings.push_back(make.ArcFinding(i));
    findings.back().set_may_follow(origins_->parts()[i].may_follow);
    if (!believed[i]) make.CallChance(findings.back());
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
    const bool chance = origin        ? !believed[*origin]
                        : began_to[i] ? by_chance[i]
                                      : evidence_.IsChance(i);
    judgement.chance[i] = chance;
    if (!moved && chance) continue;
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
