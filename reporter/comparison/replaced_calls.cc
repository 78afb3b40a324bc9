// Functions are also inlined, outlined, split and merged by hand, and the work may change with it:
//
//   base:  run → read 10, read → f 40, run → clean 10, clean → g 50
//   head:  run → prepare 10, prepare → f 70, prepare → g 50
//
// Compared arc by arc, prepare is new, and all that it does follows from being new. But it stands
// where read and clean stood: the same caller calls it as often as each of these. So the counts of
// the base are restored as if it had been there: run → prepare 10, prepare → f 40, prepare → g 50.
// The change is then where it began, on prepare → f.
//
// - *Replaced*: functions that vanished, and new ones, have the same callers, which call each of
//   them as often for each of their own calls. The new ones, or these callers, make at least the
//   calls that the vanished ones made. The calls of one vanished function are shared out among
//   several new ones so that, if possible, some of these make exactly the calls of before.
// - *Inlined by hand*: an edited caller no longer calls f, and calls everything that f calls more
//   often, by at least as much as its calls of f were worth. The side without them is restored.
// - *Outlined by hand*, or wrapped: callers call a new function, and something that it calls less
//   often than before. What they lost is what the new function called before; it calls each of
//   these at least as often.
//
// All of this edits the callers. A function that was never called before is not new for certain, so
// callers whose code is the same, or not known, are no evidence.
//
// A refactoring that conserves all calls needs none of this (cost_shifts.cc), and inlining by the
// compiler is known from the debug information (inlined_calls.cc). Counts that vary stay as they
// are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "reporter/comparison/forks.h"
#include "reporter/comparison/moved_calls.h"

namespace gprofhub::reporter {

namespace {

// Functions inlined by hand may have been nested.
constexpr int kMostRounds = 4;
// Number of new functions among which calls are shared out exactly.
constexpr size_t kMostParts = 10;

// A function of one side only, and its incoming arcs, by caller.
struct Lone {
  uint32_t function = 0;
  bool at_head = false;
  std::vector<size_t> entries;
};

// Calls of one callee by functions that vanished, and by new ones, in calls of the base.
struct SharedWork {
  uint64_t before = 0;
  std::vector<std::pair<uint32_t, uint64_t>> after;
  std::vector<CallSitePair> sites;  // of the vanished ones

  uint64_t Made() const {
    uint64_t sum = 0;
    for (const auto& [function, calls] : after) sum += calls;
    return sum;
  }
};

// Calls of a function that a caller lost, and the calls of one callee that it has instead.
struct Lost {
  size_t arc = 0;
  uint64_t calls = 0;
};
struct Gained {
  uint32_t caller = 0;
  uint32_t callee = 0;
  uint64_t calls = 0;
  int64_t near = 0;  // the line where the caller called the function; 0: unknown
};

class ReplacedCalls {
 public:
  explicit ReplacedCalls(MatchedTarget& target) : target_(target), arcs_(target) {}

  void Run() {
    RestoreReplaced();
    for (int round = 0; round < kMostRounds; ++round) {
      if (std::exchange(any_restored_, false)) {
        arcs_.Sort();
      } else if (round > 0) {
        return;
      }
      for (uint32_t i = 0; i < target_.functions.size(); ++i) {
        if (!RestoreByHand(i, /*at_head=*/true)) RestoreByHand(i, /*at_head=*/false);
      }
    }
    if (any_restored_) arcs_.Sort();
  }

 private:
  static Count& Of(ArcPair& arc, bool at_head) { return at_head ? arc.after : arc.before; }
  uint64_t Calls(size_t arc, bool at_head) const {
    return (at_head ? target_.arcs[arc].after : target_.arcs[arc].before).sum;
  }
  FunctionSide& Side(uint32_t function, bool at_head) {
    return SideOf(target_.functions[function], at_head);
  }
  // Calls of the function on the side; those of the other side scaled by it have its units.
  uint64_t CallsOf(uint32_t function, bool at_head) const {
    return CallerCalls(target_, function, at_head);
  }

  // Whether the caller of the arc was edited and runs on both sides, and the arc's counts repeat.
  bool IsFromEditedCaller(const ArcPair& arc) const {
    if (arc.caller == kSpontaneous || arc.caller == arc.callee) return false;
    const FunctionPair& caller = target_.functions[arc.caller];
    if (caller.code != CodeChange::kChanged) return false;
    for (const FunctionSide* side : {&caller.before, &caller.after}) {
      if (!(side->present() || side->calls.restored) || !side->calls.repeats) return false;
      if (side->calls.sum == 0) return false;
    }
    return arc.before.repeats && arc.after.repeats;
  }

  // Replaced functions.

  void RestoreReplaced() {
    std::map<std::vector<uint32_t>, std::vector<Lone>> by_callers;
    for (uint32_t i = 0; i < target_.functions.size(); ++i) {
      const FunctionPair& pair = target_.functions[i];
      if (pair.is_module || pair.before.present() == pair.after.present()) continue;
      Lone lone = {i, pair.after.present(), {}};
      std::vector<uint32_t> callers;
      for (const size_t arc : arcs_.Into(i)) {
        const uint32_t caller = target_.arcs[arc].caller;
        if (!IsFromEditedCaller(target_.arcs[arc]) || Side(caller, !lone.at_head).Inlines(i)) {
          callers.clear();
          break;
        }
        lone.entries.push_back(arc);
        callers.push_back(caller);
      }
      if (!callers.empty()) by_callers[std::move(callers)].push_back(std::move(lone));
    }
    for (const auto& [callers, lones] : by_callers) {
      std::vector<bool> done(lones.size(), false);
      for (size_t first = 0; first < lones.size(); ++first) {
        if (done[first]) continue;
        std::vector<const Lone*> sides[2];
        for (size_t i = first; i < lones.size(); ++i) {
          if (done[i] || !AreCalledAlike(lones[first], lones[i])) continue;
          done[i] = true;
          sides[lones[i].at_head].push_back(&lones[i]);
        }
        if (!sides[0].empty() && !sides[1].empty()) RestoreGroup(sides[0], sides[1], callers);
      }
    }
  }

  // Whether their common callers call both as often for each of their own calls.
  bool AreCalledAlike(const Lone& a, const Lone& b) const {
    for (size_t i = 0; i < a.entries.size(); ++i) {
      const uint32_t caller = target_.arcs[a.entries[i]].caller;
      if (!SameRatio(Calls(a.entries[i], a.at_head), CallsOf(caller, a.at_head),
                     Calls(b.entries[i], b.at_head), CallsOf(caller, b.at_head))) {
        return false;
      }
    }
    return true;
  }

  void RestoreGroup(const std::vector<const Lone*>& vanished, const std::vector<const Lone*>& made,
                    const std::vector<uint32_t>& callers) {
    const uint64_t before = CallsOf(callers[0], false), after = CallsOf(callers[0], true);
    for (const uint32_t caller : callers) {
      if (!SameRatio(CallsOf(caller, false), before, CallsOf(caller, true), after)) return;
    }
    const auto is_member = [&](uint32_t function) {
      const auto is_it = [&](const Lone* lone) { return lone->function == function; };
      return std::any_of(vanished.begin(), vanished.end(), is_it) ||
             std::any_of(made.begin(), made.end(), is_it);
    };
    std::map<uint32_t, SharedWork> works;  // by callee
    for (const Lone* lone : vanished) {
      for (const size_t i : arcs_.OutOf(lone->function)) {
        const ArcPair& arc = target_.arcs[i];
        if (is_member(arc.callee) || !arc.before.repeats) return;
        SharedWork& work = works[arc.callee];
        work.before += arc.before.sum;
        work.sites.insert(work.sites.end(), arc.sites.begin(), arc.sites.end());
      }
    }
    bool changed = false, is_shared = false;
    for (const Lone* lone : made) {
      for (const size_t i : arcs_.OutOf(lone->function)) {
        const ArcPair& arc = target_.arcs[i];
        const std::optional<uint64_t> calls = Scaled(arc.after.sum, before, after);
        if (is_member(arc.callee) || !arc.after.repeats || !calls.has_value()) return;
        works[arc.callee].after.emplace_back(lone->function, *calls);
      }
    }
    for (const auto& [callee, work] : works) {
      uint64_t here = work.Made();
      is_shared |= work.before > 0 && here > 0;
      changed |= work.before != here;
      for (const uint32_t caller : callers) here += GainOf(caller, callee);
      if (here < work.before) return;
    }
    if (!changed || !is_shared) return;
    for (auto& [callee, work] : works) ShareOut(callee, work, callers);
    for (const Lone* lone : vanished) {
      for (const size_t i : arcs_.OutOf(lone->function)) Clear(target_.arcs[i].before);
    }
    for (const std::vector<const Lone*>* lones : {&vanished, &made}) {
      for (const Lone* lone : *lones) RestoreEntries(*lone);
    }
    any_restored_ = true;
  }

  // Additional calls at the head, in calls of the base; 0 if there are none or they vary.
  uint64_t GainOf(uint32_t caller, uint32_t callee) const {
    const size_t arc = arcs_.Find(caller, callee);
    if (arc == target_.arcs.size() || !IsFromEditedCaller(target_.arcs[arc])) return 0;
    const std::optional<uint64_t> is =
        Scaled(Calls(arc, true), CallsOf(caller, false), CallsOf(caller, true));
    return is.has_value() && *is > Calls(arc, false) ? *is - Calls(arc, false) : 0;
  }

  // Divides the base's calls of one callee among the new functions and their callers.
  void ShareOut(uint32_t callee, SharedWork& work, const std::vector<uint32_t>& callers) {
    const size_t parts = work.after.size();
    size_t exact = 0;  // set of new functions that make these calls
    for (size_t set = 1; parts <= kMostParts && set < size_t{1} << parts && exact == 0; ++set) {
      uint64_t sum = 0;
      for (size_t i = 0; i < parts; ++i) sum += (set >> i & 1) != 0 ? work.after[i].second : 0;
      if (sum == work.before) exact = set;
    }
    uint64_t left = work.before;
    for (size_t i = 0; i < parts && left > 0; ++i) {
      if (exact != 0 && (exact >> i & 1) == 0) continue;
      // Of calls that one function makes, none is the callers'.
      const uint64_t own = std::min(work.after[i].second, left);
      ArcPair& arc = arcs_.Between(work.after[i].first, callee);
      AddRestored(target_, own, false, arc.before);
      PairRestoredSites(target_, work.sites, 0, arc);
      work.sites.clear();
      left -= own;
    }
    for (const uint32_t caller : callers) {
      const uint64_t own = std::min(GainOf(caller, callee), left);
      if (own > 0) AddRestored(target_, own, false, arcs_.Between(caller, callee).before);
      left -= own;
    }
  }

  // As if the function were called on the other side, too.
  void RestoreEntries(const Lone& lone) {
    for (const size_t i : lone.entries) {
      ArcPair& arc = target_.arcs[i];
      const std::optional<uint64_t> calls =
          Scaled(Calls(i, lone.at_head), CallsOf(arc.caller, !lone.at_head),
                 CallsOf(arc.caller, lone.at_head));
      AddRestored(target_, calls.value_or(0), !lone.at_head, Of(arc, !lone.at_head));
      AddRestored(target_, calls.value_or(0), !lone.at_head,
                  Side(lone.function, !lone.at_head).calls);
    }
  }

  static void Clear(Count& count) {
    count.sum = 0;
    count.restored = true;
  }

  // Functions inlined or outlined by hand.

  // `at_head`: the side without the calls.
  bool RestoreByHand(uint32_t function, bool at_head) {
    const FunctionSide& here = Side(function, at_head);
    const FunctionSide& there = Side(function, !at_head);
    if (target_.functions[function].is_module || here.calls.restored || there.calls.restored) {
      return false;
    }
    if (!there.present() || !there.calls.repeats || there.calls.sum == 0) return false;
    if (!AnyCalleeChanged(function, !at_head)) return false;
    const std::vector<Lost> lost = CallsLost(function, at_head);
    if (lost.empty()) return false;
    const bool is_new = !here.present() && !at_head;
    std::vector<Gained> gained;
    uint64_t all = 0, all_wanted = 0;
    for (const Lost& one : lost) {
      uint64_t of_caller = 0;
      for (const size_t own : arcs_.OutOf(function)) {
        const uint32_t callee = target_.arcs[own].callee;
        const uint64_t calls = Calls(own, !at_head);
        if (callee == function || calls == 0) continue;
        if (here.present() &&
            !SameRatio(calls, there.calls.sum, Calls(own, at_head), here.calls.sum)) {
          return false;  // the function was edited, too
        }
        const std::optional<uint64_t> wanted = Scaled(calls, one.calls, there.calls.sum);
        const uint64_t more = MoreCalls(target_.arcs[one.arc].caller, callee, at_head);
        if (!wanted.has_value() || (!is_new && more < *wanted)) return false;
        const uint64_t taken = std::min(*wanted, more);
        gained.push_back({target_.arcs[one.arc].caller, callee, taken, PlaceOf(one, at_head)});
        of_caller += taken;
        all_wanted += *wanted;
      }
      if (of_caller == 0) return false;
      all += of_caller;
    }
    // A function that does mostly other things is new.
    if (all < all_wanted - all_wanted / 2) return false;
    for (const Lost& one : lost) {
      AddRestored(target_, one.calls, at_head, Of(target_.arcs[one.arc], at_head));
      AddRestored(target_, one.calls, at_head, Side(function, at_head).calls);
    }
    for (const Gained& one : gained) Move(one, function, at_head);
    any_restored_ = true;
    return true;
  }

  bool AnyCalleeChanged(uint32_t function, bool at_head) const {
    for (const size_t i : arcs_.OutOf(function)) {
      const FunctionPair& callee = target_.functions[target_.arcs[i].callee];
      if (Calls(i, at_head) == 0 || !callee.before.calls.repeats || !callee.after.calls.repeats) {
        continue;
      }
      if (!SameRatio(callee.before.calls.sum, target_.repetitions_before, callee.after.calls.sum,
                     target_.repetitions_after)) {
        return true;
      }
    }
    return false;
  }

  // By caller that does not call the function on the side, the calls that it would make; empty if a
  // function that is not called there at all has another kind of caller.
  std::vector<Lost> CallsLost(uint32_t function, bool at_head) {
    const bool is_lone = Side(function, at_head).calls.sum == 0;
    std::vector<Lost> lost;
    for (const size_t i : arcs_.Into(function)) {
      const ArcPair& arc = target_.arcs[i];
      if (Calls(i, !at_head) == 0) continue;
      std::optional<uint64_t> expected;
      if (IsFromEditedCaller(arc) && !Side(arc.caller, at_head).Inlines(function) &&
          Calls(i, at_head) == 0) {
        expected =
            Scaled(Calls(i, !at_head), CallsOf(arc.caller, at_head), CallsOf(arc.caller, !at_head));
      }
      const bool is_lost = expected.value_or(0) > 0;
      if (is_lost) lost.push_back({i, *expected});
      if (!is_lost && is_lone) return {};
    }
    return lost;
  }

  // Additional calls on the side, in its units.
  uint64_t MoreCalls(uint32_t caller, uint32_t callee, bool at_head) const {
    const size_t arc = arcs_.Find(caller, callee);
    if (arc == target_.arcs.size() || !IsFromEditedCaller(target_.arcs[arc])) return 0;
    const std::optional<uint64_t> other =
        Scaled(Calls(arc, !at_head), CallsOf(caller, at_head), CallsOf(caller, !at_head));
    return other.has_value() && Calls(arc, at_head) > *other ? Calls(arc, at_head) - *other : 0;
  }

  // The line, on the side, where the caller would call the function.
  int64_t PlaceOf(const Lost& lost, bool at_head) {
    const ArcPair& arc = target_.arcs[lost.arc];
    for (const CallSitePair& site : arc.sites) {
      const uint32_t line = at_head ? site.line_before : site.line_after;
      if (line == 0) continue;
      return int64_t{line} + int64_t{Side(arc.caller, at_head).line} -
             int64_t{Side(arc.caller, !at_head).line};
    }
    return 0;
  }

  // Moves calls of a callee from the caller to the function.
  void Move(const Gained& gained, uint32_t function, bool at_head) {
    if (gained.calls == 0) return;
    ArcPair& from = arcs_.Between(gained.caller, gained.callee);
    Count& count = Of(from, at_head);
    count.sum -= gained.calls;
    count.restored = true;
    const std::vector<CallSitePair> sites = TakeSites(gained, at_head, from.sites);
    ArcPair& to = arcs_.Between(function, gained.callee);
    AddRestored(target_, gained.calls, at_head, Of(to, at_head));
    PairRestoredSites(target_, sites, 0, to);
  }

  // Takes the sites with these calls, the nearest first; one with exactly these calls before all.
  static std::vector<CallSitePair> TakeSites(const Gained& gained, bool at_head,
                                             std::vector<CallSitePair>& sites) {
    const auto calls = [&](CallSitePair& site) -> uint64_t& {
      return at_head ? site.after : site.before;
    };
    const auto distance = [&](CallSitePair& site) {
      const int64_t line = at_head ? site.line_after : site.line_before;
      return std::make_pair(calls(site) != gained.calls, std::abs(line - gained.near));
    };
    std::vector<CallSitePair*> nearest;
    for (CallSitePair& site : sites) nearest.push_back(&site);
    std::sort(nearest.begin(), nearest.end(),
              [&](CallSitePair* a, CallSitePair* b) { return distance(*a) < distance(*b); });
    std::vector<CallSitePair> taken;
    uint64_t left = gained.calls;
    for (CallSitePair* site : nearest) {
      const uint64_t own = std::min(left, calls(*site));
      if (own == 0) continue;
      CallSitePair& part = taken.emplace_back();
      part.file = site->file;
      (at_head ? part.line_after : part.line_before) =
          at_head ? site->line_after : site->line_before;
      calls(part) = own;
      calls(*site) -= own;
      left -= own;
    }
    return taken;
  }

  MatchedTarget& target_;
  RestoredArcs arcs_;
  bool any_restored_ = false;  // since they were sorted
};

}  // namespace

void RestoreReplacedCalls(MatchedTarget& target) {
  if (target.AnyEdited()) ReplacedCalls(target).Run();
}

}  // namespace gprofhub::reporter
