// A causal order over the changes of call counts: which change explains which.
//
// Editing a function changes how often a call of it calls others: it *forked*. Its callees may
// change then, too, because they are called more often, and because the added or removed calls are
// unlike the others: calls per call are means over the input data. So a function whose calls per
// call changed has one of three reasons:
//
//   forked        it was edited, whatever happens around it;
//   called        other calls arrive than before: the change came over a changed arc into it, and
//                 its caller explains it;
//   led by data   no arc into it changed, but its input did: a longer list, another return value.
//
// An explanation is a set of forks such that everything else follows: every function whose calls
// per call changed is a fork, or is called differently, or is led by data while there is a fork.
// The likeliest explanation is chosen, by the cost of each reason, in logarithms:
//
// - *A fork is rare* (kFork): few of a program's functions are edited at once.
// - *Called*: let T be the number of calls that came or went, counted on the arcs into the
//   function. They must account for the r calls by which an outgoing arc differs from the same
//   number of calls in the base. That is r / T each: x, in multiples of the base's calls per call,
//   if that is above one. Any condition or loop explains some x; it has a heavy tail, and costs
//   kTailExponent · log(x / kUsual).
// - *Led by data* costs a little more than a fork (kData). Without further evidence, a function
//   that changed without being called differently is a fork. For calls from outside of the profiled
//   code it is the other way round: a library's callbacks depend on its input.
// - *Code*: the code digest of an edited function differs (profile/code/code_digests.h); that of
//   others seldom does. How seldom is counted over all functions: after a change of compiler,
//   digests are no evidence. If the code is unknown, its size is used, which is weaker. A function
//   with the same digest does not fork while an edited function explains its change.
//
// Functions that no changed code reaches (code_evidence.h) are apart: their differences are chance.
// They are not led by other forks, and lead nothing.
//
// Costs are independent per function, but for one condition: every explanation needs a cause.
// Following the changed arcs upwards ends at functions that are called as before, or in a call
// cycle that no changed arc leads into. In each such cycle one function must have forked: the one
// whose own counts are least like the base's, by the deviance of Poisson counts, with the evidence
// of the code. If its code is known to be the same, and there is a fork elsewhere, it is led by
// data.
//
// Data flows from a fork to the functions that it leads, on paths that no count shows:
//
// - A leader must not lie below the functions it leads, so it is one of the topmost forks.
// - A saving does not lead a cost: folded under a saving, the cost would be hidden.
// - A list that got n entries longer is walked n times more often, or a multiple of that. So a
//   leader whose number of additional calls divides the led function's is preferred, the smallest
//   multiple first, and otherwise the leader with the largest cost.
// - An edited caller or callee without changes of its own counts is closer than a topmost fork
//   elsewhere: it passes or returns other data. Then the function is its own cause, as it is if no
//   topmost fork may lead it.
// - Unchanged code that is called differently, and does far more than the other calls explain, is
//   led by the other changes of the functions that call it differently.
//
// If a fork is the less likely reason, but not by much (kDoubt), the function's arcs keep their own
// part and are marked as possible side effects of their caller's cause. They are listed below that
// cause.
//
// kFork, kTailExponent and kUsual come from the tuned cases of benchmarks/verdicts/made_graphs:
// they are likelihood ratios between edited and unedited functions. How often an edit changes a
// function's size is a guess. Everything is linear in functions and arcs.
#include "reporter/comparison/forks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/components.h"
#include "reporter/comparison/pair_call_sites.h"

namespace gprofhub::reporter {

namespace {

// All in nats: log probabilities, and their differences.
constexpr double kFork = 4;
constexpr double kDoubt = 6;
constexpr double kTailExponent = 1.5;
constexpr double kUsual = 0.4;
constexpr double kLeast = 0.1;  // lower bound of x
constexpr double kData = 5;
constexpr double kDataOfLibraries = 3;
// Probability that an edited function's code digest, or size, differs.
constexpr double kEditedCodeDiffers = 0.999;
constexpr double kEditedSizeDiffers = 0.9;

class ForkFinder {
 public:
  ForkFinder(const MatchedTarget& target, const std::vector<CountChange>& arcs,
             const std::vector<bool>& apart)
      : target_(target),
        nodes_(target.functions.size() + 1),
        turnover_(nodes_, 0),
        surprise_(nodes_, kTailExponent * std::log(kLeast / kUsual)),
        deviance_(nodes_, 0),
        differs_(nodes_, false),
        apart_(apart.empty() ? std::vector<bool>(nodes_, false) : apart) {
    forks_.changes.assign(target.arcs.size(), ArcChange());
    forks_.forked.assign(nodes_, false);
    forks_.led_by.assign(nodes_, std::nullopt);
    upmost_.assign(nodes_, false);
    in_cycle_.assign(nodes_, false);
    any_edited_ = target.AnyEdited();
    for (size_t i = 0; i < target.arcs.size(); ++i) {
      if (arcs[i].answer == CountAnswer::kChanged) changed_.push_back(i);
    }
  }

  Forks Run() {
    for (const size_t i : changed_) {
      const ArcPair& arc = target_.arcs[i];
      if (arc.caller != arc.callee) turnover_[arc.callee] += std::fabs(Change(arc));
    }
    for (const size_t i : changed_) LookAt(i);
    CountEdits();
    ChooseForks();
    ChooseInCycles();
    for (const size_t i : changed_) DivideArcOfFork(i);
    ChooseLeaders();
    for (const size_t i : changed_) DivideOtherArc(i);
    return std::move(forks_);
  }

 private:
  // kSpontaneous comes after the functions.
  size_t Node(uint32_t function) const {
    return function == kSpontaneous ? nodes_ - 1 : size_t{function};
  }
  // Difference in calls per execution on the arc.
  double Change(const ArcPair& arc) const {
    return target_.PerAfter(arc.after.sum) - target_.PerBefore(arc.before.sum);
  }

  // Calls of the arc's caller that the arc's calls are divided by: recursion is counted per call
  // from outside.
  uint64_t CallsFrom(const ArcPair& arc, bool after) const {
    const uint64_t all = CallerCalls(target_, arc.caller, after);
    if (arc.caller != arc.callee) return all;
    const uint64_t recursive = after ? arc.after.sum : arc.before.sum;
    if (all > recursive) return all - recursive;
    return after ? target_.repetitions_after : target_.repetitions_before;
  }
  bool CallerOnBothSides(uint32_t caller) const {
    if (caller == kSpontaneous) return true;
    const FunctionPair& pair = target_.functions[caller];
    return (pair.before.present() || pair.before.calls.restored) &&
           (pair.after.present() || pair.after.calls.restored) &&
           (pair.before.calls.sum == 0) == (pair.after.calls.sum == 0);
  }

  // Each call of the caller makes fewer of these, and still there are more, or the other way round:
  // the change of the caller's own calls accounts for all of it. So a deeper recursion comes before
  // the calls that it makes on the way.
  void DivideArcOfFork(size_t i) {
    ArcChange& change = forks_.changes[i];
    if (!forks_.forked[Node(target_.arcs[i].caller)]) return;
    if (change.own * (change.own + change.inherited) < 0) {
      change = {0, change.own + change.inherited, false};
    }
  }

  void DivideOtherArc(size_t i) {
    const size_t caller = Node(target_.arcs[i].caller);
    ArcChange& change = forks_.changes[i];
    if (forks_.forked[caller]) return;
    const bool is_same = CannotFork(caller);
    if (forks_.led_by[caller].has_value() && is_same) return;
    if (ForFork(caller) > -kDoubt && !is_same) {
      change.may_follow = change.own != 0;
    } else {
      change = {0, change.own + change.inherited, false};
    }
  }

  // Splits the arc's change, and updates its caller's evidence for a fork.
  void LookAt(size_t i) {
    const ArcPair& arc = target_.arcs[i];
    const double change = Change(arc);
    forks_.changes[i] = {0, change, false};
    if (!CallerOnBothSides(arc.caller)) return;
    const uint64_t calls_before = CallsFrom(arc, false), calls_after = CallsFrom(arc, true);
    if (SameRatio(arc.before.sum, calls_before, arc.after.sum, calls_after)) return;
    const double per_call = static_cast<double>(arc.before.sum) / static_cast<double>(calls_before);
    const double as_before = per_call * target_.PerAfter(calls_after);
    const double own = target_.PerAfter(arc.after.sum) - as_before;
    forks_.changes[i] = {own, change - own, false};
    const size_t caller = Node(arc.caller);
    differs_[caller] = true;
    deviance_[caller] =
        std::max(deviance_[caller], Deviance(target_.PerAfter(arc.after.sum), as_before));
    if (turnover_[caller] == 0) return;
    const double each = std::fabs(own) / turnover_[caller] / std::max(1.0, per_call);
    surprise_[caller] =
        std::max(surprise_[caller], kTailExponent * std::log(std::max(kLeast, each) / kUsual));
  }

  // Deviance of a count from its expectation.
  static double Deviance(double count, double expected) {
    expected = std::max(expected, 0.5);
    return count == 0 ? expected : count * std::log(count / expected) - count + expected;
  }

  // The evidence of a feature that most edited functions have, and few others.
  struct Feature {
    double known = 2, has = 1;
    double edited_has = 0;  // probability
    void Count(bool value) {
      ++known;
      has += value;
    }
    double For(bool value) const {
      const double usual = has / known;
      return value ? std::max(0.0, std::log(edited_has / usual))
                   : std::min(0.0, std::log((1 - edited_has) / (1 - usual)));
    }
  };

  void CountEdits() {
    code_.edited_has = kEditedCodeDiffers;
    size_.edited_has = kEditedSizeDiffers;
    for (const FunctionPair& pair : target_.functions) {
      if (pair.code != CodeChange::kUnknown) {
        code_.Count(pair.code == CodeChange::kChanged);
      } else if (pair.before.size != 0 && pair.after.size != 0) {
        size_.Count(pair.before.size != pair.after.size);
      }
    }
  }

  double EvidenceOfCode(size_t node) const {
    if (node + 1 == nodes_) return 0;
    const FunctionPair& pair = target_.functions[node];
    if (pair.code != CodeChange::kUnknown) return code_.For(pair.code == CodeChange::kChanged);
    if (pair.before.size == 0 || pair.after.size == 0) return 0;
    return size_.For(pair.before.size != pair.after.size);
  }

  bool IsSame(size_t node) const {
    return node + 1 < nodes_ && target_.functions[node].code == CodeChange::kSame;
  }

  // Unchanged code, while an edited function may be the reason.
  bool CannotFork(size_t node) const { return any_edited_ && IsSame(node) && !apart_[node]; }

  // Log likelihood ratio of a fork to any other reason.
  double ForFork(size_t node) const {
    if (turnover_[node] > 0) return surprise_[node] + EvidenceOfCode(node) - kFork;
    const bool library = node + 1 == nodes_;
    return (library ? kDataOfLibraries : kData) + EvidenceOfCode(node) - kFork;
  }

  void ChooseForks() {
    for (size_t node = 0; node < nodes_; ++node) {
      const bool by_itself = apart_[node] && turnover_[node] == 0;
      const bool is_fork = by_itself || (ForFork(node) > 0 && !CannotFork(node));
      forks_.forked[node] = differs_[node] && is_fork;
      upmost_[node] = forks_.forked[node] && turnover_[node] == 0 && !apart_[node];
    }
  }

  void ChooseLeaders() {
    std::vector<size_t> leaders;
    // By node: the changed arc out of it with the largest cost.
    std::vector<std::optional<size_t>> main(nodes_);
    for (const size_t i : changed_) {
      const size_t caller = Node(target_.arcs[i].caller);
      if (upmost_[caller] && forks_.changes[i].Began()) leaders.push_back(i);
      if (!main[caller].has_value() || Weight(i) > Weight(*main[caller])) main[caller] = i;
    }
    const std::vector<bool> by_edit = NextToAnEdit();
    const std::vector<std::pair<size_t, size_t>> called_by = ChangedCallers();
    for (size_t node = 0; node < nodes_; ++node) {
      if (!differs_[node] || forks_.forked[node] || !main[node].has_value()) continue;
      const bool as_before = turnover_[node] == 0;
      const bool does_far_more = CannotFork(node) && surprise_[node] > kFork;
      if (!as_before && !in_cycle_[node] && !does_far_more) continue;
      for (const size_t leader : leaders) {
        const ArcPair& arc = target_.arcs[leader];
        if (arc.callee == node || !MayLead(leader, *main[node])) continue;
        const double multiple = Multiple(leader, *main[node]);
        if (!as_before && !in_cycle_[node]) {
          // The leader's caller calls it differently.
          const std::pair<size_t, size_t> call = {node, Node(arc.caller)};
          if (!std::binary_search(called_by.begin(), called_by.end(), call)) continue;
        } else if (by_edit[node] && std::isinf(multiple)) {
          continue;
        }
        std::optional<size_t>& best = forks_.led_by[node];
        const auto rank = [&](size_t i, double times) { return std::make_pair(-times, Weight(i)); };
        if (!best.has_value() ||
            rank(leader, multiple) > rank(*best, Multiple(*best, *main[node]))) {
          best = leader;
        }
      }
      if (as_before || in_cycle_[node]) forks_.forked[node] = !forks_.led_by[node].has_value();
    }
  }

  double Weight(size_t arc) const {
    return std::fabs(forks_.changes[arc].own) * CostPerCall(target_.arcs[arc].callee);
  }

  bool MayLead(size_t leader, size_t led) const {
    return forks_.changes[led].own < 0 || forks_.changes[leader].own > 0;
  }

  // The led arc's additional calls as a multiple of the leader's; infinite: not a multiple. Small
  // numbers divide many others.
  double Multiple(size_t leader, size_t led) const {
    constexpr double kLeastCalls = 50, kNone = std::numeric_limits<double>::infinity();
    const double of_leader = forks_.changes[leader].own, of_led = forks_.changes[led].own;
    if (std::fabs(of_leader) < kLeastCalls) return kNone;
    const double times = of_led / of_leader;
    const bool is_whole = times > 0.5 && std::fabs(times - std::round(times)) < 1e-9 * times;
    return is_whole ? std::round(times) : kNone;
  }

  // By node: unchanged code with an edited caller or callee whose own counts did not change.
  std::vector<bool> NextToAnEdit() const {
    std::vector<bool> is_next(nodes_, false);
    const auto is_quiet_edit = [this](size_t node) {
      return node + 1 < nodes_ && !differs_[node] &&
             target_.functions[node].code == CodeChange::kChanged;
    };
    for (const ArcPair& arc : target_.arcs) {
      const size_t caller = Node(arc.caller);
      if (is_quiet_edit(arc.callee) && IsSame(caller)) is_next[caller] = true;
      if (is_quiet_edit(caller) && IsSame(arc.callee)) is_next[arc.callee] = true;
    }
    return is_next;
  }

  // Sorted: callee and caller of every changed arc.
  std::vector<std::pair<size_t, size_t>> ChangedCallers() const {
    std::vector<std::pair<size_t, size_t>> called_by;
    for (const size_t i : changed_) {
      called_by.emplace_back(target_.arcs[i].callee, Node(target_.arcs[i].caller));
    }
    std::sort(called_by.begin(), called_by.end());
    return called_by;
  }

  // Total samples per call. A minimum if nothing was sampled.
  double CostPerCall(uint32_t function) const {
    const FunctionPair& pair = target_.functions[function];
    double samples = 1e-3, calls = 1;
    for (const FunctionSide* side : {&pair.before, &pair.after}) {
      samples += std::max(0.0, side->self_samples + side->child_samples);
      calls += static_cast<double>(side->calls.sum);
    }
    return samples / calls;
  }

  // Finds a fork in each call cycle that no changed arc leads into.
  void ChooseInCycles() {
    std::vector<std::pair<uint32_t, uint32_t>> called;
    for (const size_t i : changed_) {
      const ArcPair& arc = target_.arcs[i];
      if (arc.caller != arc.callee && arc.caller != kSpontaneous) {
        called.emplace_back(arc.caller, arc.callee);
      }
    }
    const base::Components components =
        base::FindComponents(static_cast<uint32_t>(target_.functions.size()), called);
    const std::vector<uint32_t> component_of = components.ByNode();
    std::vector<bool> explained(components.count(), false);
    for (const size_t i : changed_) {
      const ArcPair& arc = target_.arcs[i];
      const uint32_t cycle = component_of[arc.callee];
      if (arc.caller == kSpontaneous || component_of[arc.caller] != cycle) explained[cycle] = true;
      if (arc.caller != kSpontaneous && forks_.forked[arc.caller]) {
        explained[component_of[arc.caller]] = true;
      }
    }
    const bool any_fork = std::find(upmost_.begin(), upmost_.end(), true) != upmost_.end();
    for (size_t cycle = 0; cycle < components.count(); ++cycle) {
      if (explained[cycle] || components.Members(cycle).size() == 1) continue;
      double best = -std::numeric_limits<double>::infinity();
      size_t fork = nodes_;
      for (const uint32_t node : components.Members(cycle)) {
        if (!differs_[node]) continue;
        const double evidence =
            std::log1p(deviance_[node]) + surprise_[node] + EvidenceOfCode(node);
        if (evidence <= best) continue;
        best = evidence;
        fork = node;
      }
      if (fork == nodes_) continue;
      if (any_fork && IsSame(fork)) {
        // The code is unchanged, so the data must differ.
        in_cycle_[fork] = true;
        continue;
      }
      forks_.forked[fork] = true;
      upmost_[fork] = !apart_[fork];
    }
  }

  const MatchedTarget& target_;
  const size_t nodes_;           // functions, and kSpontaneous
  std::vector<size_t> changed_;  // arcs
  // By node: calls on arcs into it that came or went.
  std::vector<double> turnover_;
  // By node: cost of explaining its outgoing arcs by these calls.
  std::vector<double> surprise_;
  std::vector<double> deviance_;
  std::vector<bool> differs_;      // by node: whether its calls per call changed
  std::vector<bool> upmost_;       // by node: a fork without a fork above it
  std::vector<bool> in_cycle_;     // by node: the fork of a cycle, if nothing leads it
  bool any_edited_ = false;        // whether the code of any function is known to differ
  const std::vector<bool> apart_;  // by node
  Feature code_, size_;
  Forks forks_;
};

}  // namespace

uint64_t CallerCalls(const MatchedTarget& target, uint32_t caller, bool after) {
  const uint64_t repetitions = after ? target.repetitions_after : target.repetitions_before;
  if (caller == kSpontaneous) return repetitions;
  const FunctionPair& pair = target.functions[caller];
  const uint64_t calls = after ? pair.after.calls.sum : pair.before.calls.sum;
  return calls == 0 ? repetitions : calls;
}

Forks FindForks(const MatchedTarget& target, const std::vector<CountChange>& arcs,
                const std::vector<bool>& apart) {
  return ForkFinder(target, arcs, apart).Run();
}

}  // namespace gprofhub::reporter
