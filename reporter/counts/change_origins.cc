// Where a change of call counts began, and along which arcs it propagated.
//
// A count on the arc p → c is (calls of p) × (calls of c per call of p). So its change has two
// parts: the inherited part, because p itself is called more or less, and the arc's own part: k =
// count / calls(p) changed. With exact counts this needs no tolerance; the ratios are compared as
// fractions. Counts that vary between executions are tested as measurements first
// (reporter/counts/judge_count.cc).
//
// A changed k does not prove that a change began here: forks.cc finds the functions in which one
// began. An arc out of one of these is an origin: it gets a finding with its call site, unless its
// own part is under a tenth of the inherited part; then it counts as inherited. All other arcs
// propagate the change of their callers. A doubtful arc gets a finding, too, marked as a possible
// side effect of its caller's change.
//
// A function most of whose change comes over an inherited arc changed because its caller did: it
// *follows* (is a side effect). Walking up from it along the arcs with most of the change leads to
// an origin, and the function is folded under that arc's finding. A caller that is led by data is
// called as before: its way up is the arc that leads it.
//
// In a call cycle, most of each function's change comes from the other members. The walk continues
// from the arc that brings most of the change into the cycle.
#include "reporter/counts/change_origins.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "base/components.h"

namespace gprofhub::reporter {
namespace {

constexpr double kOwnPart = 0.1;
constexpr int32_t kNone = -1;

}  // namespace

ChangeOrigins::ChangeOrigins(const MatchedTarget& target, const std::vector<CountChange>& arcs,
                             const std::vector<bool>& apart)
    : target_(target) {
  const Forks forks = FindForks(target, arcs, apart);
  began_.assign(target_.arcs.size(), false);
  parts_ = forks.changes;
  main_arc_.assign(target_.functions.size(), kNone);
  std::vector<double> largest(target_.functions.size(), 0);
  for (size_t i = 0; i < target_.arcs.size(); ++i) {
    const ArcPair& arc = target_.arcs[i];
    ArcChange& parts = parts_[i];
    began_[i] = std::fabs(parts.own) > kOwnPart * std::fabs(parts.inherited);
    if (!began_[i]) parts = {0, parts.own + parts.inherited, false};
    const double change = std::max(std::fabs(parts.own), std::fabs(parts.inherited));
    const bool recursion = arc.caller == arc.callee && !began_[i];
    if (!recursion && change > largest[arc.callee]) {
      largest[arc.callee] = change;
      main_arc_[arc.callee] = static_cast<int32_t>(i);
    }
  }
  led_by_data_ = forks.led_by_data;
  // An arc that counts as inherited has no finding to fold others under.
  if (forks.leader.has_value() && began_[*forks.leader]) leader_ = forks.leader;
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
  std::vector<int32_t> entry(components.count(), kNone);
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
    if (components.Members(cycle).size() == 1 || entry[cycle] == kNone) continue;
    for (const uint32_t function : components.Members(cycle)) {
      int32_t& main_arc = main_arc_[function];
      const bool inner = main_arc != kNone && !began_[main_arc] && within(target_.arcs[main_arc]);
      if (inner) main_arc = entry[cycle];
    }
  }
}

std::optional<size_t> ChangeOrigins::LeaderOf(uint32_t function) const {
  const bool led = function == kSpontaneous ? led_by_data_.back() : led_by_data_[function];
  return led ? leader_ : std::nullopt;
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
    function = target_.arcs[arc].caller;
    if (const std::optional<size_t> leader = LeaderOf(function)) return leader;
    if (function == kSpontaneous) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace gprofhub::reporter
