// Where a change of call counts began.
//
// A count on the arc p → c is (calls of p) × (calls of c per call of p). So its
// change has two parts: what p brings along because p itself is called more or
// less (inherited), and what is new on this arc (its own): k = count / calls(p)
// is no longer what it was. With exact counts "no longer" needs no tolerance;
// the ratios are compared as fractions.
//
// An arc whose k changed is where something began: it gets a finding with its
// call site. What a function does depends on its data, so k moves a little when
// p is called on other data; an arc whose own part is under a tenth of what it
// inherits is taken as inherited. A function most of whose change comes over an
// inherited arc changed because its caller did: it *follows*. Walking up from it
// along the arcs that bring most of the change leads to an arc that changed by
// itself, and the function is folded under that arc's finding. Where the walk
// runs in a circle (recursion through several functions), the function stands
// for itself.
//
// A new function's arcs are inherited from it: what began is the call of the
// new function. An arc that changed while all calls of its callee together did
// not is SHIFTED: the calls come from elsewhere now (inlined, split, renamed).
//
// What a change stands for (impact) is the callee's share of the target's
// samples, self and inherited, on the side where it is called more, times the
// part of its calls that changed. A short test has few samples, and which
// functions they hit is chance; so a hundred samples of doubt are added, shared
// out by calls: until samples say otherwise, a call costs what any call costs.
#include "reporter/call_changes.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace gprofhub {
namespace {

constexpr double kSamplesOfDoubt = 100;
constexpr double kOwnPart = 0.1;
constexpr int32_t kNone = -1;

class Judge {
 public:
  Judge(const MatchedTarget& target, const TargetTotals& totals)
      : target_(target), totals_(totals) {
    for (const FunctionPair& function : target.functions) {
      all_calls_ += std::max(PerBefore(function.before.calls), PerAfter(function.after.calls));
    }
  }

  std::vector<v1::Finding> Run() {
    FindOrigins();
    std::vector<v1::Finding> findings;
    std::vector<int32_t> finding_of_arc(target_.arcs.size(), kNone);
    for (size_t i = 0; i < target_.arcs.size(); ++i) {
      if (!own_[i]) continue;
      finding_of_arc[i] = static_cast<int32_t>(findings.size());
      findings.push_back(ArcFinding(target_.arcs[i]));
    }
    for (uint32_t i = 0; i < target_.functions.size(); ++i) {
      if (!CallsChanged(i)) continue;
      findings.push_back(FunctionFinding(target_.functions[i]));
      if (!Follows(i)) continue;
      const int32_t origin = OriginOf(i);
      if (origin == kNone) continue;
      findings[finding_of_arc[origin]].add_follows(target_.functions[i].name);
    }
    return findings;
  }

 private:
  double PerBefore(uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(target_.repetitions_before);
  }
  double PerAfter(uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(target_.repetitions_after);
  }
  bool Same(uint64_t before, uint64_t after) const {
    return SameRatio(before, target_.repetitions_before, after, target_.repetitions_after);
  }
  bool CallsChanged(uint32_t function) const {
    const FunctionPair& pair = target_.functions[function];
    return !Same(pair.before.calls, pair.after.calls);
  }
  // What an arc's count is divided by. A caller that is never counted as called
  // (the program's entry) runs once per execution.
  uint64_t CallerCalls(uint32_t caller, bool after) const {
    const uint64_t repetitions = after ? target_.repetitions_after : target_.repetitions_before;
    if (caller == kSpontaneous) return repetitions;
    const FunctionPair& pair = target_.functions[caller];
    const uint64_t calls = after ? pair.after.calls : pair.before.calls;
    return calls == 0 ? repetitions : calls;
  }
  bool CallerOnBothSides(uint32_t caller) const {
    if (caller == kSpontaneous) return true;
    const FunctionPair& pair = target_.functions[caller];
    return pair.before.present && pair.after.present &&
           (pair.before.calls == 0) == (pair.after.calls == 0);
  }

  // How much of the arc's change is its own, in calls per execution.
  double OwnChange(const ArcPair& arc) const {
    if (!CallerOnBothSides(arc.caller)) return 0;
    const uint64_t calls_before = CallerCalls(arc.caller, false);
    const uint64_t calls_after = CallerCalls(arc.caller, true);
    if (SameRatio(arc.before, calls_before, arc.after, calls_after)) return 0;
    const double k_before = static_cast<double>(arc.before) / static_cast<double>(calls_before);
    return PerAfter(arc.after) - k_before * PerAfter(calls_after);
  }

  // Marks the arcs that changed by themselves, and notes for every function the
  // incoming arc that brings most of its change.
  void FindOrigins() {
    own_.assign(target_.arcs.size(), false);
    main_arc_.assign(target_.functions.size(), kNone);
    std::vector<double> largest(target_.functions.size(), 0);
    for (size_t i = 0; i < target_.arcs.size(); ++i) {
      const ArcPair& arc = target_.arcs[i];
      if (Same(arc.before, arc.after)) continue;
      const double own = OwnChange(arc);
      const double inherited = PerAfter(arc.after) - PerBefore(arc.before) - own;
      own_[i] = std::fabs(own) > kOwnPart * std::fabs(inherited);
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
  void Describe(const FunctionPair& function, uint64_t before, uint64_t after, double change,
                v1::Finding& finding) const {
    finding.set_metric(v1::Finding::CALLS);
    finding.set_function(function.name);
    finding.set_before(PerBefore(before));
    finding.set_after(PerAfter(after));
    finding.set_exact(before % target_.repetitions_before == 0 &&
                      after % target_.repetitions_after == 0);
    if (before != 0) {
      finding.set_effect_percent((finding.after() / finding.before() - 1) * 100);
    }
    const double share_before = ShareBefore(function, totals_);
    const double share_after = ShareAfter(function, totals_);
    finding.set_weight(std::max(share_before, share_after));
    const double calls_before = PerBefore(function.before.calls);
    const double calls_after = PerAfter(function.after.calls);
    const bool more = calls_after > calls_before;
    const double share = more ? share_after : share_before;
    const double doubt =
        kSamplesOfDoubt /
        ((more ? totals_.after_samples : totals_.before_samples) + kSamplesOfDoubt);
    const double part =
        std::min(1.0, std::fabs(change) / std::max({calls_before, calls_after, 1e-300}));
    const double of_all_calls = std::min(1.0, std::fabs(change) / std::max(all_calls_, 1e-300));
    finding.set_impact(std::min(1.0, share * part + doubt * of_all_calls));
  }

  v1::Finding::Verdict VerdictOf(const v1::Finding& finding, bool is_new, bool vanished) const {
    if (is_new) return v1::Finding::NEW;
    if (vanished) return v1::Finding::VANISHED;
    if (!finding.exact()) return v1::Finding::CANNOT_TELL;
    return finding.after() > finding.before() ? v1::Finding::REGRESSED : v1::Finding::IMPROVED;
  }

  v1::Finding FunctionFinding(const FunctionPair& function) const {
    v1::Finding finding;
    const uint64_t before = function.before.calls;
    const uint64_t after = function.after.calls;
    Describe(function, before, after, PerAfter(after) - PerBefore(before), finding);
    const FunctionSide& side = function.after.present ? function.after : function.before;
    finding.mutable_site()->set_file(side.file);
    finding.mutable_site()->set_line(side.line);
    finding.set_verdict(VerdictOf(finding, before == 0, after == 0));
    return finding;
  }

  v1::Finding ArcFinding(const ArcPair& arc) const {
    v1::Finding finding;
    const FunctionPair& callee = target_.functions[arc.callee];
    Describe(callee, arc.before, arc.after, OwnChange(arc), finding);
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
    finding.set_verdict(VerdictOf(finding, !arc.before_present, !arc.after_present));
    if (!CallsChanged(arc.callee)) finding.set_verdict(v1::Finding::SHIFTED);
    return finding;
  }

  const MatchedTarget& target_;
  const TargetTotals& totals_;
  double all_calls_ = 0;
  std::vector<bool> own_;          // by arc
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

std::vector<v1::Finding> JudgeCalls(const MatchedTarget& target, const TargetTotals& totals) {
  return Judge(target, totals).Run();
}

}  // namespace gprofhub
