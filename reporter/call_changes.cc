// Where a change of call counts began.
//
// A count on the arc p → c is (calls of p) × (calls of c per call of p). So its
// change has two parts: what p brings along because p itself is called more or
// less (inherited), and what is new on this arc (its own): k = count / calls(p)
// is no longer what it was. With exact counts "no longer" needs no tolerance;
// the ratios are compared as fractions. Counts that vary between executions are
// tested as measurements first (count_test.cc).
//
// An arc whose k changed is where something began: it gets a finding with its
// call site. What a function does depends on its data, so k moves a little when
// p is called on other data. If the calls that p has more (or fewer) call c between
// never and once each, or not much more often than all its calls did before, they
// brought the change along: p does different things for different callers, and k is
// only a mean. And an arc whose own part is under a tenth of what it inherits is
// taken as inherited. A function most of whose change comes over an
// inherited arc changed because its caller did: it *follows*. Walking up from it
// along the arcs that bring most of the change leads to an arc that changed by
// itself, and the function is folded under that arc's finding. Where the walk
// runs in a circle (recursion through several functions), the function stands
// for itself.
//
// A new function's arcs are inherited from it: what began is the call of the
// new function. An arc that changed while all calls of its callee together did
// not, or went the other way, is SHIFTED: the calls come from elsewhere now. So is
// all of a function whose cost only moved (cost_shifts.cc).
//
// What a change stands for (impact) is a share of the target's CPU: of each function
// the samples in itself times the part of its calls that changed, blamed on where the
// change began (blame.cc). A short test has few samples, and which functions they hit
// is chance; so a hundred samples of doubt are added, shared out by calls: until
// samples say otherwise, a call costs what any call costs.
// From a minimum impact on a finding is material.
#include "reporter/call_changes.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "reporter/blame.h"
#include "reporter/count_test.h"

namespace gprofhub {
namespace {

constexpr double kSamplesOfDoubt = 100;
constexpr double kOwnPart = 0.1;
constexpr double kPlausible = 1.25;
constexpr int32_t kNone = -1;

class Judge {
 public:
  Judge(const MatchedTarget& target, const TargetTotals& totals, const CostShifts& shifts,
        double minimum_impact)
      : target_(target), totals_(totals), shifts_(shifts), minimum_impact_(minimum_impact) {
    for (const FunctionPair& function : target.functions) {
      all_calls_ += std::max(PerBefore(function.before.calls), PerAfter(function.after.calls));
      changes_.push_back(Test(function.before.calls, function.after.calls));
    }
    for (const ArcPair& arc : target.arcs) arc_changes_.push_back(Test(arc.before, arc.after));
  }

  CallJudgement Run() {
    FindOrigins();
    std::vector<double> costs;
    for (uint32_t i = 0; i < target_.functions.size(); ++i) costs.push_back(CostOfChange(i));
    blame_ = ShareOut(target_, costs, arc_parts_);
    CallJudgement judgement;
    std::vector<v1::Finding>& findings = judgement.findings;
    judgement.touched.assign(target_.functions.size(), false);
    std::vector<int32_t> finding_of_arc(target_.arcs.size(), kNone);
    for (size_t i = 0; i < target_.arcs.size(); ++i) {
      if (!own_[i]) continue;
      finding_of_arc[i] = static_cast<int32_t>(findings.size());
      findings.push_back(ArcFinding(i));
    }
    for (uint32_t i = 0; i < target_.functions.size(); ++i) {
      const bool moved = shifts_[i].kind() != v1::Shift::KIND_UNSPECIFIED;
      const bool changed = changes_[i].answer != CountAnswer::kSame &&
                           changes_[i].answer != CountAnswer::kEquivalent;
      if (!changed && !moved) continue;
      findings.push_back(FunctionFinding(i));
      judgement.touched[i] = changed;
      if (!changed || !Follows(i)) continue;
      const int32_t origin = OriginOf(i);
      if (origin == kNone) continue;
      findings[finding_of_arc[origin]].add_follows(target_.functions[i].name);
    }
    for (const v1::Finding& finding : findings) judgement.any_material |= finding.material();
    for (size_t i = 0; i < target_.arcs.size(); ++i) {
      const uint32_t caller = target_.arcs[i].caller;
      if (!own_[i] || caller == kSpontaneous) continue;
      if (findings[finding_of_arc[i]].material()) judgement.touched[caller] = true;
    }
    return judgement;
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
  CountChange Test(const Count& before, const Count& after) const {
    return TestCount({&before, target_.runs_before, target_.repetitions_before},
                     {&after, target_.runs_after, target_.repetitions_after});
  }
  // What an arc's count is divided by. A caller that is never counted as called
  // (the program's entry) runs once per execution.
  uint64_t CallerCalls(uint32_t caller, bool after) const {
    const uint64_t repetitions = after ? target_.repetitions_after : target_.repetitions_before;
    if (caller == kSpontaneous) return repetitions;
    const FunctionPair& pair = target_.functions[caller];
    const uint64_t calls = after ? pair.after.calls.sum : pair.before.calls.sum;
    return calls == 0 ? repetitions : calls;
  }
  bool CallerOnBothSides(uint32_t caller) const {
    if (caller == kSpontaneous) return true;
    const FunctionPair& pair = target_.functions[caller];
    return pair.before.present() && pair.after.present() &&
           (pair.before.calls.sum == 0) == (pair.after.calls.sum == 0);
  }

  // How much of the arc's change is its own, in calls per execution.
  double OwnChange(const ArcPair& arc) const {
    if (!CallerOnBothSides(arc.caller)) return 0;
    const uint64_t calls_before = CallerCalls(arc.caller, false);
    const uint64_t calls_after = CallerCalls(arc.caller, true);
    if (SameRatio(arc.before.sum, calls_before, arc.after.sum, calls_after)) return 0;
    const double k_before = static_cast<double>(arc.before.sum) / static_cast<double>(calls_before);
    const double more_here = PerAfter(arc.after) - PerBefore(arc.before);
    const double more_callers = PerAfter(calls_after) - PerBefore(calls_before);
    const double k_of_more = more_here / more_callers;
    if (more_callers != 0 && k_of_more >= 0 && k_of_more <= std::max(1.0, kPlausible * k_before)) {
      return 0;
    }
    return PerAfter(arc.after) - k_before * PerAfter(calls_after);
  }

  // Marks the arcs that changed by themselves, and notes for every function the
  // incoming arc that brings most of its change.
  void FindOrigins() {
    own_.assign(target_.arcs.size(), false);
    arc_parts_.assign(target_.arcs.size(), ArcChange());
    main_arc_.assign(target_.functions.size(), kNone);
    std::vector<double> largest(target_.functions.size(), 0);
    for (size_t i = 0; i < target_.arcs.size(); ++i) {
      const ArcPair& arc = target_.arcs[i];
      if (arc_changes_[i].answer != CountAnswer::kChanged) continue;
      const double own = OwnChange(arc);
      const double inherited = PerAfter(arc.after) - PerBefore(arc.before) - own;
      own_[i] = std::fabs(own) > kOwnPart * std::fabs(inherited);
      arc_parts_[i] = own_[i] ? ArcChange{own, inherited} : ArcChange{0, own + inherited};
      const double change = std::max(std::fabs(own), std::fabs(inherited));
      const bool recursion = arc.caller == arc.callee && !own_[i];
      if (!recursion && change > largest[arc.callee]) {
        largest[arc.callee] = change;
        main_arc_[arc.callee] = static_cast<int32_t>(i);
      }
    }
    visited_.assign(target_.functions.size(), 0);
  }

  bool Follows(uint32_t function) const {
    return main_arc_[function] != kNone && !own_[main_arc_[function]];
  }

  // The arc where the change of `function` began.
  int32_t OriginOf(uint32_t function) {
    ++walk_;
    while (visited_[function] != walk_) {
      visited_[function] = walk_;
      const int32_t arc = main_arc_[function];
      if (arc == kNone) return kNone;
      if (own_[arc]) return arc;
      if (target_.arcs[arc].caller == kSpontaneous) return kNone;
      function = target_.arcs[arc].caller;
    }
    return kNone;
  }

  // Fills in what findings of functions and arcs have in common.
  void Describe(const FunctionPair& function, const Count& before, const Count& after,
                const CountChange& tested, double impact, v1::Finding& finding) const {
    finding.set_metric(v1::Finding::CALLS);
    finding.set_function(function.name);
    finding.set_before(PerBefore(before));
    finding.set_after(PerAfter(after));
    finding.set_exact(tested.exact);
    finding.set_no_longer_exact(after.repeated_before);
    finding.set_interval_low_percent(tested.low_percent);
    finding.set_interval_high_percent(tested.high_percent);
    if (before.sum != 0) {
      finding.set_effect_percent((finding.after() / finding.before() - 1) * 100);
    }
    const double share_before = ShareBefore(function, totals_);
    const double share_after = ShareAfter(function, totals_);
    finding.set_weight(std::max(share_before, share_after));
    finding.set_impact(std::min(1.0, impact));
  }

  // What the change of the function's calls costs in the function itself, as a share of
  // the target's CPU.
  double CostOfChange(uint32_t index) const {
    const FunctionPair& function = target_.functions[index];
    if (changes_[index].answer != CountAnswer::kChanged) return 0;
    const double before = PerBefore(function.before.calls);
    const double after = PerAfter(function.after.calls);
    const bool more = after > before;
    const double samples = more ? function.after.self_samples : function.before.self_samples;
    const double total = more ? totals_.after_samples : totals_.before_samples;
    const double change = std::fabs(after - before);
    const double sampled = samples * change / std::max(before, after);
    const double guessed = kSamplesOfDoubt * change / std::max(all_calls_, 1e-300);
    return std::min(1.0, (sampled + guessed) / (total + kSamplesOfDoubt));
  }

  // NEW and VANISHED are functions'; an arc that came or went only changes how
  // often its callee is called.
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
    finding.set_material(decided && finding.impact() >= minimum_impact_);
  }

  v1::Finding FunctionFinding(uint32_t index) const {
    v1::Finding finding;
    const FunctionPair& function = target_.functions[index];
    const Count& before = function.before.calls;
    const Count& after = function.after.calls;
    Describe(function, before, after, changes_[index], blame_.functions[index], finding);
    const FunctionSide& side = function.after.present() ? function.after : function.before;
    finding.mutable_site()->set_file(side.file);
    finding.mutable_site()->set_line(side.line);
    SetVerdict(VerdictOf(finding, changes_[index], function), finding);
    const v1::Shift& shift = shifts_[index];
    // What moved and is also called more often is an ordinary change.
    const bool only_moved = MovesCalls(shift) || changes_[index].answer == CountAnswer::kSame;
    if (shift.kind() != v1::Shift::KIND_UNSPECIFIED && only_moved) {
      *finding.mutable_shift() = shift;
      SetVerdict(v1::Finding::SHIFTED, finding);
    }
    return finding;
  }

  v1::Finding ArcFinding(size_t index) const {
    v1::Finding finding;
    const ArcPair& arc = target_.arcs[index];
    const FunctionPair& callee = target_.functions[arc.callee];
    Describe(callee, arc.before, arc.after, arc_changes_[index], blame_.arcs[index], finding);
    if (arc.caller == kSpontaneous) {
      finding.set_caller("<spontaneous>");
    } else {
      finding.set_caller(target_.functions[arc.caller].name);
    }
    finding.set_caller_calls_before(PerBefore(CallerCalls(arc.caller, false)));
    finding.set_caller_calls_after(PerAfter(CallerCalls(arc.caller, true)));
    double largest = -1;
    for (const SitePair& site : arc.sites) {
      const double change = std::fabs(PerAfter(site.after) - PerBefore(site.before));
      if (change <= largest) continue;
      largest = change;
      finding.mutable_site()->set_file(site.file);
      finding.mutable_site()->set_line(site.line_after != 0 ? site.line_after : site.line_before);
    }
    const double in_all = PerAfter(callee.after.calls) - PerBefore(callee.before.calls);
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

  const MatchedTarget& target_;
  const TargetTotals& totals_;
  const CostShifts& shifts_;
  const double minimum_impact_;
  std::vector<CountChange> changes_;      // by function
  std::vector<CountChange> arc_changes_;  // by arc
  double all_calls_ = 0;
  std::vector<bool> own_;  // by arc
  std::vector<ArcChange> arc_parts_;
  Blame blame_;
  std::vector<int32_t> main_arc_;  // by function
  std::vector<uint32_t> visited_;  // by function: last walk that came by
  uint32_t walk_ = 0;
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

CallJudgement JudgeCalls(const MatchedTarget& target, const TargetTotals& totals, CostShifts shifts,
                         double minimum_impact) {
  CallJudgement judgement = Judge(target, totals, shifts, minimum_impact).Run();
  judgement.shifts = std::move(shifts);
  return judgement;
}

}  // namespace gprofhub
