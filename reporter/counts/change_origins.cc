// Where a change of call counts began.
//
// A count on the arc p → c is (calls of p) × (calls of c per call of p). So its
// change has two parts: what p brings along because p itself is called more or
// less (inherited), and what is new on this arc (its own): k = count / calls(p)
// is no longer what it was. With exact counts "no longer" needs no tolerance;
// the ratios are compared as fractions. Counts that vary between executions are
// tested as measurements first (reporter/counts/judge_count.cc).
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
// itself, and the function is folded under that arc's finding.
//
// Recursion. How often a function calls itself is counted per call from outside: k is
// recursive calls / other calls. Where functions call each other in a cycle, most of
// each one's change comes from the others; the walk goes on from the arc that brings
// most into the cycle. If none does, the change began within: at the arc whose k
// changed most.
//
// A new function's arcs are inherited from it: what began is the call of the new
// function.
#include "reporter/counts/change_origins.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "base/components.h"
#include "reporter/matching/same_ratio.h"

namespace gprofhub::reporter {
namespace {

constexpr double kOwnPart = 0.1;
constexpr double kPlausible = 1.25;
constexpr int32_t kNone = -1;

class Ratios {
 public:
  Ratios(const MatchedTarget& target, const std::vector<CountChange>& changes)
      : target_(target), changes_(changes) {}

  double PerBefore(uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(target_.repetitions_before);
  }
  double PerAfter(uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(target_.repetitions_after);
  }
  // Calls per execution that the arc has more.
  double Change(const ArcPair& arc) const {
    return PerAfter(arc.after.sum) - PerBefore(arc.before.sum);
  }

  // Calls of `arc`'s caller that the arc's are compared with.
  uint64_t CallsFrom(const ArcPair& arc, bool after) const {
    if (arc.caller != arc.callee) return CallerCalls(target_, arc.caller, after);
    const uint64_t all = CallerCalls(target_, arc.caller, after);
    const uint64_t recursive = after ? arc.after.sum : arc.before.sum;
    if (all > recursive) return all - recursive;
    return after ? target_.repetitions_after : target_.repetitions_before;
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
    const uint64_t calls_before = CallsFrom(arc, false);
    const uint64_t calls_after = CallsFrom(arc, true);
    if (SameRatio(arc.before.sum, calls_before, arc.after.sum, calls_after)) return 0;
    const double k_before = static_cast<double>(arc.before.sum) / static_cast<double>(calls_before);
    const double more_here = PerAfter(arc.after.sum) - PerBefore(arc.before.sum);
    const double more_callers = PerAfter(calls_after) - PerBefore(calls_before);
    const double k_of_more = more_here / more_callers;
    if (more_callers != 0 && k_of_more >= 0 && k_of_more <= std::max(1.0, kPlausible * k_before)) {
      return 0;
    }
    return PerAfter(arc.after.sum) - k_before * PerAfter(calls_after);
  }

  // By how much an arc's calls differ from what as many calls of its caller made before.
  std::vector<double> ChangesOfRatio() const {
    std::vector<double> changes;
    for (const ArcPair& arc : target_.arcs) changes.push_back(ChangeOfRatio(arc));
    return changes;
  }
  double ChangeOfRatio(const ArcPair& arc) const {
    if (!CallerOnBothSides(arc.caller)) return 0;
    const double before = static_cast<double>(CallsFrom(arc, false));
    const double after = static_cast<double>(CallsFrom(arc, true));
    return PerAfter(arc.after.sum) - static_cast<double>(arc.before.sum) / before *
                                         (after / static_cast<double>(target_.repetitions_after));
  }

  // Whether its caller's calls changed the same way, and by half the ratio or more.
  bool FollowsCaller(const ArcPair& arc) const {
    if (arc.caller == kSpontaneous || arc.before.sum == 0 || arc.after.sum == 0) return false;
    if (changes_[arc.caller].answer != CountAnswer::kChanged) return false;
    const double callers = PerAfter(CallerCalls(target_, arc.caller, true)) /
                           PerBefore(CallerCalls(target_, arc.caller, false));
    const double all = PerAfter(arc.after.sum) / PerBefore(arc.before.sum);
    // In logarithms ratios add up: what is the arc's own is the difference.
    const double by_callers = std::log(callers), own = std::log(all) - by_callers;
    return by_callers * own > 0 && std::fabs(by_callers) >= 0.5 * std::fabs(own);
  }

 private:
  const MatchedTarget& target_;
  const std::vector<CountChange>& changes_;
};

}  // namespace

uint64_t CallerCalls(const MatchedTarget& target, uint32_t caller, bool after) {
  const uint64_t repetitions = after ? target.repetitions_after : target.repetitions_before;
  if (caller == kSpontaneous) return repetitions;
  const FunctionPair& pair = target.functions[caller];
  const uint64_t calls = after ? pair.after.calls.sum : pair.before.calls.sum;
  return calls == 0 ? repetitions : calls;
}

ChangeOrigins::ChangeOrigins(const MatchedTarget& target, const std::vector<CountChange>& functions,
                             const std::vector<CountChange>& arcs)
    : target_(target) {
  const Ratios ratios(target, functions);
  began_.assign(target_.arcs.size(), false);
  parts_.assign(target_.arcs.size(), ArcChange());
  main_arc_.assign(target_.functions.size(), kNone);
  std::vector<double> largest(target_.functions.size(), 0);
  for (size_t i = 0; i < target_.arcs.size(); ++i) {
    const ArcPair& arc = target_.arcs[i];
    if (arcs[i].answer != CountAnswer::kChanged) continue;
    const double own = ratios.OwnChange(arc);
    const double inherited = ratios.Change(arc) - own;
    began_[i] = std::fabs(own) > kOwnPart * std::fabs(inherited);
    parts_[i] = began_[i] ? ArcChange{own, inherited, ratios.FollowsCaller(arc)}
                          : ArcChange{0, own + inherited, false};
    const double change = std::max(std::fabs(own), std::fabs(inherited));
    const bool recursion = arc.caller == arc.callee && !began_[i];
    if (!recursion && change > largest[arc.callee]) {
      largest[arc.callee] = change;
      main_arc_[arc.callee] = static_cast<int32_t>(i);
    }
  }
  LeaveCycles(ratios.ChangesOfRatio());
}

// In a cycle of functions, most of whose change comes from each other, the change
// came over the arc that brings most into it; else it began within.
void ChangeOrigins::LeaveCycles(const std::vector<double>& ratio_changes) {
  std::vector<std::pair<uint32_t, uint32_t>> inherit;
  for (size_t i = 0; i < target_.arcs.size(); ++i) {
    const ArcPair& arc = target_.arcs[i];
    if (parts_[i].inherited == 0 || arc.caller == kSpontaneous) continue;
    if (arc.caller != arc.callee) inherit.emplace_back(arc.callee, arc.caller);
  }
  const base::Components components =
      base::FindComponents(static_cast<uint32_t>(target_.functions.size()), inherit);
  const std::vector<uint32_t> component_of = components.ByNode();
  const auto within = [&](const ArcPair& arc) {
    return arc.caller != kSpontaneous && component_of[arc.caller] == component_of[arc.callee];
  };
  std::vector<int32_t> entry(components.count(), kNone);
  std::vector<int32_t> suspect(components.count(), kNone);
  std::vector<double> most_in(components.count(), 0), most_changed(most_in);
  for (size_t i = 0; i < target_.arcs.size(); ++i) {
    const ArcPair& arc = target_.arcs[i];
    const uint32_t cycle = component_of[arc.callee];
    if (components.Members(cycle).size() == 1) continue;
    const ArcChange& parts = parts_[i];
    double in = std::fabs(parts.own);
    if (!within(arc)) in = std::max(in, std::fabs(parts.inherited));
    if (in > most_in[cycle]) {
      most_in[cycle] = in;
      entry[cycle] = static_cast<int32_t>(i);
    }
    if (parts.inherited == 0 || !within(arc)) continue;
    const double changed = std::fabs(ratio_changes[i]);
    if (changed > most_changed[cycle]) {
      most_changed[cycle] = changed;
      suspect[cycle] = static_cast<int32_t>(i);
    }
  }
  for (size_t cycle = 0; cycle < components.count(); ++cycle) {
    if (components.Members(cycle).size() == 1) continue;
    if (entry[cycle] == kNone && suspect[cycle] != kNone) {
      const int32_t began = entry[cycle] = suspect[cycle];
      const double own = ratio_changes[began];
      began_[began] = true;
      parts_[began] = {own, parts_[began].inherited - own, false};
    }
    if (entry[cycle] == kNone) continue;
    for (const uint32_t function : components.Members(cycle)) {
      int32_t& main_arc = main_arc_[function];
      const bool inner = main_arc != kNone && !began_[main_arc] && within(target_.arcs[main_arc]);
      if (inner) main_arc = entry[cycle];
    }
  }
}

bool ChangeOrigins::Follows(uint32_t function) const {
  const int32_t arc = main_arc_[function];
  return arc != kNone && !(began_[arc] && target_.arcs[arc].callee == function);
}

std::optional<size_t> ChangeOrigins::OriginOf(uint32_t function) const {
  absl::flat_hash_set<uint32_t> visited;
  while (visited.insert(function).second) {
    const int32_t arc = main_arc_[function];
    if (arc == kNone) return std::nullopt;
    if (began_[arc]) return static_cast<size_t>(arc);
    if (target_.arcs[arc].caller == kSpontaneous) return std::nullopt;
    function = target_.arcs[arc].caller;
  }
  return std::nullopt;
}

}  // namespace gprofhub::reporter
