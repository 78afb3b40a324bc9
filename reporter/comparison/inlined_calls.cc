// A call that is inlined is not counted, and the calls that the inlined function makes count as its
// caller's. So where one build inlines a function and the other does not, the counts differ though
// the work may be the same; and a change of the work is on another arc than it would be otherwise:
//
//   base (g inlined into p):   main → p 10, p → f 90
//   head:                      main → p 10, p → g 10, g → f 180
//
// Compared arc by arc, g is new, and all that it does follows from being new. Compared as a group,
// {p, g} calls f twice as often for each call of p. To see where in the group that began, the
// counts of the inlining side are restored, as if it had not inlined g:
//
// - p calls g as often for each of its own calls as on the other side;
// - the calls p → f are shared out. The line of a call is known, also if it was inlined: a call
//   belongs to the function whose first line is nearest above it. Without such lines p keeps as
//   many calls for each of its own as on the other side, and the rest is g's.
//
// If fewer calls than on the other side were thereby restored, for all that g calls in one ratio,
// then p called g in this ratio, and g does as much as before for each call: a second call of a
// function is a usual reason not to inline it any more.
//
// Inlined functions may be nested, so functions are restored from the outermost inwards. A function
// that exists on both sides is restored for those callers that inline it on one side and call it on
// the other, if it calls anything: otherwise sizes and times decide (cost_shifts.cc).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "reporter/comparison/forks.h"
#include "reporter/comparison/moved_calls.h"

namespace gprofhub::reporter {

std::optional<uint64_t> Scaled(uint64_t a, uint64_t b, uint64_t c) {
  using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  if (c == 0 || product % c != 0) return std::nullopt;
  const Wide quotient = product / c;
  if (quotient > UINT64_MAX) return std::nullopt;
  return static_cast<uint64_t>(quotient);
}

void AddRestored(const MatchedTarget& target, uint64_t calls, bool at_head, Count& count) {
  count.sum += calls;
  count.runs = static_cast<uint32_t>(at_head ? target.runs_after : target.runs_before);
  count.restored = true;
}

void PairRestoredSites(const MatchedTarget& target, const std::vector<CallSitePair>& restored,
                       int64_t shift, ArcPair& arc) {
  if (restored.empty()) return;
  std::vector<CallSite> sides[2];
  const auto add = [&](const CallSitePair& site) {
    if (site.before > 0) {
      sides[0].push_back({site.file, site.line_before, site.line_before, site.before});
    }
    if (site.after > 0) {
      sides[1].push_back({site.file, site.line_after, site.line_after, site.after});
    }
  };
  for (const CallSitePair& site : arc.sites) add(site);
  for (const CallSitePair& site : restored) add(site);
  for (std::vector<CallSite>& side : sides) {
    std::stable_sort(side.begin(), side.end(),
                     [](const CallSite& a, const CallSite& b) { return a.line < b.line; });
  }
  std::vector<CallSitePair> paired =
      PairCallSites(sides[0], target.repetitions_before, sides[1], target.repetitions_after, shift);
  arc.sites = std::move(paired);
}

namespace {

// Maximum nesting of inlined functions.
constexpr int kMostNested = 8;

// A function to restore on one side.
struct Inlined {
  uint32_t function = 0;
  bool at_head = false;      // the side that inlined it
  std::vector<size_t> arcs;  // from the callers that inlined it there
};

// Calls of one callee that belonged to a caller and belong to inlined functions now.
struct Taken {
  uint64_t calls = 0;
  std::vector<CallSitePair> sites;
};

class InlinedCalls {
 public:
  explicit InlinedCalls(MatchedTarget& target)
      : target_(target), groups_(target.functions.size()) {}

  void Run() {
    for (int round = 0; round < kMostNested; ++round) {
      const std::vector<Inlined> found = Find();
      if (found.empty()) return;
      if (!arcs_.has_value()) arcs_.emplace(target_);
      bool restored = false;
      for (const Inlined& inlined : found) restored |= Restore(inlined);
      if (!restored) return;
      arcs_->Sort();
    }
  }

 private:
  static Count& Of(ArcPair& arc, bool at_head) { return at_head ? arc.after : arc.before; }
  static const Count& Of(const ArcPair& arc, bool at_head) {
    return at_head ? arc.after : arc.before;
  }
  const FunctionSide& Side(uint32_t function, bool at_head) const {
    const FunctionPair& pair = target_.functions[function];
    return at_head ? pair.after : pair.before;
  }

  bool InlinedInto(uint32_t caller, uint32_t function, bool at_head) const {
    const absl::Span<const uint32_t> members = groups_.Members(groups_.GroupOf(caller));
    return std::any_of(members.begin(), members.end(),
                       [&](uint32_t member) { return Side(member, at_head).Inlines(function); });
  }

  // Whether the function runs on both sides, or was restored, and its counts repeat.
  bool IsCounted(uint32_t function) const {
    const FunctionPair& pair = target_.functions[function];
    for (const FunctionSide* side : {&pair.before, &pair.after}) {
      if (!side->present() && !side->calls.restored) return false;
      if (!side->calls.repeats) return false;
    }
    return (pair.before.calls.sum == 0) == (pair.after.calls.sum == 0);
  }

  // Whether the caller inlines the callee on the side without calls of the arc.
  bool IsInlined(const ArcPair& arc, bool at_head) const {
    if (arc.caller == kSpontaneous || arc.caller == arc.callee) return false;
    if (!arc.before.repeats || !arc.after.repeats) return false;
    if (!InlinedInto(arc.caller, arc.callee, at_head)) return false;
    const bool one_sided = Side(arc.callee, at_head).calls.sum == 0;
    return (one_sided || !InlinedInto(arc.caller, arc.callee, !at_head)) && IsCounted(arc.caller);
  }

  // Functions that can be restored now, by callee.
  std::vector<Inlined> Find() const {
    std::vector<Inlined> found;
    for (size_t first = 0, end = 0; first < target_.arcs.size(); first = end) {
      const uint32_t callee = target_.arcs[first].callee;
      Inlined sides[2] = {{callee, false, {}}, {callee, true, {}}};
      size_t arcs[2] = {0, 0};
      for (end = first; end < target_.arcs.size() && target_.arcs[end].callee == callee; ++end) {
        const ArcPair& arc = target_.arcs[end];
        for (const bool at_head : {false, true}) {
          arcs[at_head] += Of(arc, !at_head).sum > 0;
          if (Of(arc, at_head).sum > 0 || Of(arc, !at_head).sum == 0) continue;
          if (IsInlined(arc, at_head)) sides[at_head].arcs.push_back(end);
        }
      }
      for (const bool at_head : {false, true}) {
        Inlined& inlined = sides[at_head];
        const FunctionPair& pair = target_.functions[callee];
        if (inlined.arcs.empty()) continue;
        if (!pair.before.calls.repeats || !pair.after.calls.repeats) continue;
        // A function without any calls on the side was inlined by all its callers, or by none.
        const bool one_sided = Side(callee, at_head).calls.sum == 0;
        if (one_sided && inlined.arcs.size() != arcs[at_head]) continue;
        found.push_back(std::move(inlined));
      }
    }
    return found;
  }

  // Functions that `function` calls on the other side, also through functions that were inlined
  // together with it.
  void AddReached(uint32_t function, uint32_t caller, bool at_head, int depth,
                  std::vector<uint32_t>& reached) const {
    for (const size_t i : arcs_->OutOf(function)) {
      const ArcPair& arc = target_.arcs[i];
      if (Of(arc, !at_head).sum == 0 || arc.callee == function) continue;
      if (std::find(reached.begin(), reached.end(), arc.callee) != reached.end()) continue;
      reached.push_back(arc.callee);
      const bool nested =
          Side(arc.callee, at_head).calls.sum == 0 && InlinedInto(caller, arc.callee, at_head);
      if (nested && depth < kMostNested) {
        AddReached(arc.callee, caller, at_head, depth + 1, reached);
      }
    }
  }

  bool Restore(const Inlined& inlined) {
    const bool at_head = inlined.at_head;
    const uint32_t function = inlined.function;
    // By caller: calls of the function.
    std::vector<uint64_t> calls;
    for (const size_t i : inlined.arcs) {
      const ArcPair& arc = target_.arcs[i];
      const std::optional<uint64_t> scaled =
          Scaled(Of(arc, !at_head).sum, CallerCalls(target_, arc.caller, at_head),
                 CallerCalls(target_, arc.caller, !at_head));
      if (!scaled.has_value()) return false;
      calls.push_back(*scaled);
    }
    std::vector<uint32_t> reached;
    // By callee: the calls that were the callers' on this side.
    std::map<uint32_t, Taken> taken;
    std::vector<uint32_t> callers;
    for (const size_t i : inlined.arcs) callers.push_back(target_.arcs[i].caller);
    for (const uint32_t caller : callers) {
      AddReached(function, caller, at_head, 0, reached);
      for (const uint32_t callee : reached) {
        if (callee != caller) TakeFrom(caller, callee, inlined, taken[callee]);
      }
    }
    // Of a function that was called on the side, too, only its work shows that it was inlined.
    const bool shown = std::any_of(taken.begin(), taken.end(),
                                   [](const auto& entry) { return entry.second.calls > 0; });
    if (!shown && Side(function, at_head).calls.sum > 0) return false;
    if (callers.size() == 1) CorrectRatio(inlined, taken, calls.front());
    Give(inlined, calls, taken);
    for (const uint32_t caller : callers) groups_.Join(function, caller);
    return true;
  }

  // Takes the calls of `callee` that belong to the inlined function from `caller`.
  void TakeFrom(uint32_t caller, uint32_t callee, const Inlined& inlined, Taken& taken) {
    const size_t found = arcs_->Find(caller, callee);
    if (found == target_.arcs.size()) return;
    ArcPair& arc = target_.arcs[found];
    Count& count = Of(arc, inlined.at_head);
    if (count.sum == 0 || !count.repeats || !Of(arc, !inlined.at_head).repeats) return;
    if (TakeByLine(caller, inlined, arc, taken)) return;
    const std::optional<uint64_t> own =
        Scaled(Of(arc, !inlined.at_head).sum, CallerCalls(target_, caller, inlined.at_head),
               CallerCalls(target_, caller, !inlined.at_head));
    if (!own.has_value() || *own >= count.sum) return;
    taken.calls += count.sum - *own;
    count.sum = *own;
    count.restored = true;
  }

  // Returns whether any call's line is in the function.
  bool TakeByLine(uint32_t caller, const Inlined& inlined, ArcPair& arc, Taken& taken) const {
    uint64_t moved = 0;
    for (CallSitePair& site : arc.sites) {
      uint64_t& calls = inlined.at_head ? site.after : site.before;
      uint32_t& line = inlined.at_head ? site.line_after : site.line_before;
      if (calls == 0 || !IsIn(inlined, caller, site.file, line)) continue;
      CallSitePair& own = taken.sites.emplace_back();
      own.file = site.file;
      (inlined.at_head ? own.line_after : own.line_before) = line;
      (inlined.at_head ? own.after : own.before) = calls;
      moved += calls;
      calls = 0;
    }
    Count& count = Of(arc, inlined.at_head);
    moved = std::min(moved, count.sum);
    if (moved == 0) return false;
    count.sum -= moved;
    count.restored = true;
    taken.calls += moved;
    return true;
  }

  // Whether the line, on the inlining side, is in the inlined function and not in its caller.
  bool IsIn(const Inlined& inlined, uint32_t caller, absl::string_view file, uint32_t line) const {
    const FunctionSide& other = Side(inlined.function, !inlined.at_head);
    const FunctionSide& own = Side(caller, inlined.at_head);
    if (line == 0 || other.line == 0 || other.file != file) return false;
    if (own.file != file) return true;
    // Lines above may have been added or removed since; the caller's have, too.
    const int64_t shift = int64_t{own.line} - int64_t{Side(caller, !inlined.at_head).line};
    const int64_t begin = int64_t{other.line} + shift;
    const int64_t below = int64_t{line} - begin;
    const int64_t below_caller = int64_t{line} - int64_t{own.line};
    return below >= 0 && (below_caller < 0 || below < below_caller);
  }

  // Whether `own` calls of a side are fewer, for each execution, than `other` of the other side.
  bool IsLess(uint64_t own, uint64_t other, bool at_head) const {
    const uint64_t before = target_.repetitions_before, after = target_.repetitions_after;
    using Wide = unsigned __int128;
    return Wide{own} * (at_head ? before : after) < Wide{other} * (at_head ? after : before);
  }

  // If everything that the function calls was restored in one ratio below one to the other side, it
  // was called in this ratio.
  void CorrectRatio(const Inlined& inlined, const std::map<uint32_t, Taken>& taken,
                    uint64_t& calls) const {
    uint64_t numerator = 0, denominator = 0;
    for (const size_t i : arcs_->OutOf(inlined.function)) {
      const ArcPair& arc = target_.arcs[i];
      const uint64_t other = Of(arc, !inlined.at_head).sum;
      if (other == 0 || arc.callee == inlined.function) continue;
      const auto found = taken.find(arc.callee);
      const uint64_t own = found == taken.end() ? 0 : found->second.calls;
      if (own == 0 || !IsLess(own, other, inlined.at_head)) return;
      if (denominator == 0) {
        numerator = own;
        denominator = other;
      } else if (!SameRatio(own, other, numerator, denominator)) {
        return;
      }
    }
    const uint64_t other_calls = Side(inlined.function, !inlined.at_head).calls.sum;
    const std::optional<uint64_t> corrected = Scaled(other_calls, numerator, denominator);
    // A caller calls it a whole number of times, unless it does so under a condition.
    const uint64_t callers =
        CallerCalls(target_, target_.arcs[inlined.arcs.front()].caller, inlined.at_head);
    if (corrected.value_or(0) > 0 && *corrected % callers == 0) calls = *corrected;
  }

  void Give(const Inlined& inlined, const std::vector<uint64_t>& calls,
            std::map<uint32_t, Taken>& taken) {
    FunctionPair& pair = target_.functions[inlined.function];
    Count& all = (inlined.at_head ? pair.after : pair.before).calls;
    for (size_t i = 0; i < calls.size(); ++i) {
      AddRestored(target_, calls[i], inlined.at_head,
                  Of(target_.arcs[inlined.arcs[i]], inlined.at_head));
      AddRestored(target_, calls[i], inlined.at_head, all);
    }
    for (auto& [callee, part] : taken) {
      if (part.calls == 0) continue;
      ArcPair& arc = arcs_->Between(inlined.function, callee);
      AddRestored(target_, part.calls, inlined.at_head, Of(arc, inlined.at_head));
      const uint32_t caller = target_.arcs[inlined.arcs.front()].caller;
      PairRestoredSites(target_, part.sites,
                        int64_t{Side(caller, true).line} - int64_t{Side(caller, false).line}, arc);
    }
  }

  MatchedTarget& target_;
  FunctionGroups groups_;
  std::optional<RestoredArcs> arcs_;  // made on first use
};

}  // namespace

void RestoreInlinedCalls(MatchedTarget& target) { InlinedCalls(target).Run(); }

}  // namespace gprofhub::reporter
