// Blames cost on origins. The cost of additional calls of a function is caused where the calls come
// from. The change of its calls is the sum over its incoming arcs of their own and inherited parts.
// In these proportions the cost is blamed on the arcs' own changes and on the callers, which pass
// it on, until all of it lies where a change began:
//
//   blame(f) = cost(f) + Σ over arcs f → g: blame(g) · |inherited part of the arc| /
//                                                      Σ |all parts of g's arcs|
//
// Functions outside cycles are processed in order, callees first. In a cycle, blame circulates and
// leaves over the arcs that brought the change in, however few their calls are compared with those
// of the cycle itself. So the equations of a cycle's functions are solved together, by elimination.
// Each function keeps no more than it gets, so no pivoting is needed. In a cycle that is too large
// for that, or has no incoming arc, every function gets the whole blame.
//
// An arc's own part that may be a side effect of its caller's change (ArcChange::may_follow) is
// also blamed on the caller's callers: the first in a chain gets the blame for the whole chain.
//
// The blame of a function that is led by data goes to the arc that leads it: the own parts of its
// arcs, and, if it is called as before, everything else that it causes.
#include "reporter/comparison/cost_by_origin.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "base/components.h"
#include "base/grouped.h"

namespace gprofhub::reporter {

// Where a change of call counts began, and along which arcs it propagated.
//
// A count on the arc p → c is (calls of p) × (calls of c per call of p). So its change has two
// parts: the inherited part, because p itself is called more or less, and the arc's own part: k =
// count / calls(p) changed. With exact counts this needs no tolerance; the ratios are compared as
// fractions. Counts that vary between executions are tested as measurements first
// (reporter/comparison/count_history.cc).
//
// A changed k does not prove that a change began here: forks.cc finds the functions in which one
// began. An arc out of one of these is an origin: it gets a finding with its call site, unless its
// own part is under a tenth of the inherited part; then it counts as inherited. All other arcs
// propagate the change of their callers. A doubtful arc gets a finding, too, marked as a possible
// side effect of its caller's change.
//
// A function most of whose change comes over an inherited arc changed because its caller did: it
// *follows* (is a side effect). Walking up from it along the arcs with most of the change leads to
// an origin, and the function is folded under that arc's finding. The way up from a caller that is
// led by data is the arc that leads it.
//
// In a call cycle, most of each function's change comes from the other members. The walk continues
// from the arc that brings most of the change into the cycle.

namespace {

constexpr int32_t kNoArc = -1;

}  // namespace

ChangeOrigins::ChangeOrigins(const MatchedTarget& target, const std::vector<CountChange>& arcs,
                             const std::vector<bool>& apart)
    : target_(target) {
  const Forks forks = FindForks(target, arcs, apart);
  began_.assign(target_.arcs.size(), false);
  parts_ = forks.changes;
  led_by_ = forks.led_by;
  main_arc_.assign(target_.functions.size(), kNoArc);
  std::vector<double> largest(target_.functions.size(), 0);
  for (size_t i = 0; i < target_.arcs.size(); ++i) {
    const ArcPair& arc = target_.arcs[i];
    ArcChange& parts = parts_[i];
    const bool is_led = LeaderOf(arc.caller).has_value() && !parts.may_follow;
    began_[i] = parts.Began() && !is_led;
    if (!began_[i] && !is_led) parts = {0, parts.own + parts.inherited, false};
    const double change = std::max(std::fabs(parts.own), std::fabs(parts.inherited));
    const bool recursion = arc.caller == arc.callee && !began_[i];
    if (!recursion && change > largest[arc.callee]) {
      largest[arc.callee] = change;
      main_arc_[arc.callee] = static_cast<int32_t>(i);
    }
  }
  LeaveCycles();
}

// In a call cycle whose members inherit most of their change from each other, the change came over
// the arc that brings most into the cycle.
void ChangeOrigins::LeaveCycles() {
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
  std::vector<int32_t> entry(components.count(), kNoArc);
  std::vector<double> most_in(components.count(), 0);
  for (size_t i = 0; i < target_.arcs.size(); ++i) {
    const ArcPair& arc = target_.arcs[i];
    const uint32_t cycle = component_of[arc.callee];
    if (components.Members(cycle).size() == 1) continue;
    double in = std::fabs(parts_[i].own);
    if (!within(arc)) in = std::max(in, std::fabs(parts_[i].inherited));
    if (in > most_in[cycle]) {
      most_in[cycle] = in;
      entry[cycle] = static_cast<int32_t>(i);
    }
  }
  for (size_t cycle = 0; cycle < components.count(); ++cycle) {
    if (components.Members(cycle).size() == 1 || entry[cycle] == kNoArc) continue;
    for (const uint32_t function : components.Members(cycle)) {
      int32_t& main_arc = main_arc_[function];
      const bool inner = main_arc != kNoArc && !began_[main_arc] && within(target_.arcs[main_arc]);
      if (inner) main_arc = entry[cycle];
    }
  }
}

std::optional<size_t> ChangeOrigins::LeaderOf(uint32_t function) const {
  return led_by_[function == kSpontaneous ? led_by_.size() - 1 : function];
}

bool ChangeOrigins::Follows(uint32_t function) const {
  const int32_t arc = main_arc_[function];
  return arc != kNoArc && !(began_[arc] && target_.arcs[arc].callee == function);
}

std::optional<size_t> ChangeOrigins::OriginOf(uint32_t function) const {
  absl::flat_hash_set<uint32_t> visited;
  while (visited.insert(function).second) {
    const int32_t arc = main_arc_[function];
    if (arc == kNoArc) return std::nullopt;
    if (began_[arc]) return static_cast<size_t>(arc);
    function = target_.arcs[arc].caller;
    if (const std::optional<size_t> leader = LeaderOf(function)) return leader;
    if (function == kSpontaneous) return std::nullopt;
  }
  return std::nullopt;
}

namespace {

constexpr size_t kMostEquations = 200;

class CostSharing {
 public:
  CostSharing(const MatchedTarget& target, const std::vector<double>& cost,
              const std::vector<ArcChange>& changes)
      : target_(target), changes_(changes), parts_(target.functions.size(), 0) {
    cost_by_origin_.functions = cost;
    cost_by_origin_.arcs.assign(changes.size(), 0);
    into_ = base::Grouped<size_t>(target.functions.size(), [&](const auto& add) {
      for (size_t i = 0; i < changes.size(); ++i) {
        if (Changed(i)) add(target.arcs[i].callee, i);
      }
    });
    std::vector<std::pair<uint32_t, uint32_t>> passing;
    for (size_t i = 0; i < changes.size(); ++i) {
      if (!Changed(i)) continue;
      const ArcPair& arc = target.arcs[i];
      parts_[arc.callee] += std::fabs(changes[i].own) + Inherited(i);
      if (arc.caller == kSpontaneous) continue;  // without a caller to blame
      if (Inherited(i) > 0 || changes[i].may_follow) passing.emplace_back(arc.callee, arc.caller);
    }
    components_ = base::FindComponents(static_cast<uint32_t>(target.functions.size()), passing);
    component_of_ = components_.ByNode();
  }

  CostByOrigin Run() {
    for (size_t i = components_.count(); i-- > 0;) {
      const absl::Span<const uint32_t> members = components_.Members(i);
      double whole = 0;
      for (const uint32_t function : members) whole += cost_by_origin_.functions[function];
      std::vector<double> through;  // by member: blame that passes through it
      for (const uint32_t function : members)
        through.push_back(cost_by_origin_.functions[function]);
      if (members.size() > 1 && !Solve(members, through)) through.assign(members.size(), whole);
      for (size_t m = 0; m < members.size(); ++m) PassOn(members[m], through[m], whole);
    }
    return std::move(cost_by_origin_);
  }

 private:
  bool Changed(size_t index) const {
    return changes_[index].own != 0 || changes_[index].inherited != 0;
  }

  // Calls that the arc inherits from its caller. The inherited part of a function's recursion comes
  // from its other callers.
  double Inherited(size_t index) const {
    const ArcPair& arc = target_.arcs[index];
    if (arc.caller == kSpontaneous || arc.caller == arc.callee) return 0;
    return std::fabs(changes_[index].inherited);
  }

  bool Within(const ArcPair& arc) const {
    return arc.caller != kSpontaneous && component_of_[arc.caller] == component_of_[arc.callee];
  }

  void PassOn(uint32_t function, double through, double whole) {
    cost_by_origin_.functions[function] = std::min(1.0, std::min(through, whole));
    if (parts_[function] == 0) return;
    for (const size_t i : into_[function]) {
      const ArcPair& arc = target_.arcs[i];
      const double own = through * std::fabs(changes_[i].own) / parts_[function];
      cost_by_origin_.arcs[i] = std::min(1.0, own);
      if (arc.caller == kSpontaneous || Within(arc)) continue;
      cost_by_origin_.functions[arc.caller] += through * Inherited(i) / parts_[function];
      if (changes_[i].may_follow) cost_by_origin_.functions[arc.caller] += own;
    }
  }

  // Solves for the blame that passes through the functions of a cycle, from each one's own cost.
  bool Solve(absl::Span<const uint32_t> members, std::vector<double>& through) {
    const size_t n = members.size();
    if (n > kMostEquations) return false;
    std::vector<std::vector<double>> rows(n, std::vector<double>(n, 0));
    for (size_t m = 0; m < n; ++m) rows[m][m] = 1;
    for (size_t m = 0; m < n; ++m) {
      for (const size_t i : into_[members[m]]) {
        const ArcPair& arc = target_.arcs[i];
        if (!Within(arc) || Inherited(i) == 0) continue;
        const size_t caller = static_cast<size_t>(
            std::find(members.begin(), members.end(), arc.caller) - members.begin());
        rows[caller][m] -= Inherited(i) / parts_[members[m]];
      }
    }
    constexpr double kSingular = 1e-12;
    for (size_t pivot = 0; pivot < n; ++pivot) {
      if (rows[pivot][pivot] < kSingular) return false;
      for (size_t row = pivot + 1; row < n; ++row) {
        const double factor = rows[row][pivot] / rows[pivot][pivot];
        if (factor == 0) continue;
        for (size_t column = pivot; column < n; ++column) {
          rows[row][column] -= factor * rows[pivot][column];
        }
        through[row] -= factor * through[pivot];
      }
    }
    for (size_t row = n; row-- > 0;) {
      for (size_t column = row + 1; column < n; ++column) {
        through[row] -= rows[row][column] * through[column];
      }
      through[row] /= rows[row][row];
    }
    return true;
  }

  const MatchedTarget& target_;
  const std::vector<ArcChange>& changes_;
  std::vector<double> parts_;   // by function: sum over its incoming arcs
  base::Grouped<size_t> into_;  // by function: arcs to it that changed
  base::Components components_;
  std::vector<uint32_t> component_of_;  // by function
  CostByOrigin cost_by_origin_;
};

}  // namespace

CostByOrigin ShareOutCost(const MatchedTarget& target, const std::vector<double>& cost,
                          const std::vector<ArcChange>& changes) {
  return CostSharing(target, cost, changes).Run();
}

CostByOrigin ShareOutCost(const MatchedTarget& target, const std::vector<double>& cost,
                          const ChangeOrigins& origins) {
  CostByOrigin by_origin = ShareOutCost(target, cost, origins.parts());
  std::vector<bool> called_as_before(cost.size(), true);
  for (size_t i = 0; i < target.arcs.size(); ++i) {
    const ArcPair& arc = target.arcs[i];
    const ArcChange& change = origins.parts()[i];
    if (change.own != 0 || change.inherited != 0) called_as_before[arc.callee] = false;
    const std::optional<size_t> leader = origins.LeaderOf(arc.caller);
    if (!leader || origins.Began(i)) continue;
    by_origin.arcs[*leader] += by_origin.arcs[i];
    by_origin.arcs[i] = 0;
  }
  for (uint32_t i = 0; i < cost.size(); ++i) {
    const std::optional<size_t> leader = origins.LeaderOf(i);
    if (leader && called_as_before[i]) by_origin.arcs[*leader] += by_origin.functions[i];
  }
  return by_origin;
}

}  // namespace gprofhub::reporter
