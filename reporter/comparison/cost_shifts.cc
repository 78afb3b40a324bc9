// A refactoring changes which functions there are, but not the work. Exact counts prove it: a
// function's outgoing calls are its work, and if the total calls of each callee are unchanged, from
// any callers, the work is still done and not done twice (conserved_work.cc).
//
// A function that vanished was *inlined* into a caller if its work is still done, that caller is
// called as often as before, and the caller grew (its code did not shrink, as it would if the call
// had just been deleted) or took over its calls. It was *split*, or merged, if a new function with
// a common caller is called as often as it was.
//
// A new function calls functions that others called before, while their total calls are unchanged:
// it was *outlined* from its callers that call them less now, or made from vanished functions (a
// *split*, or a merger). If calls are inconclusive, it was outlined from a caller whose code shrank
// by about the new function's size. It is also made by a split if a vanished function with a common
// caller was called as often, or if its code is as large as that of a function of its file that
// shrank: the work moved and left a stub behind, which may since be inlined anywhere
// (came_out_of.cc). In all cases the functions together must not have become slower, within
// sampling error: a new function that does new work is not a refactoring.
//
// If the debug information lists inlined functions, it has precedence. A vanished function that is
// inlined into all of its callers was inlined, whatever happened to its callees, which are judged
// on their own. It and these callers form one group from then on. The inlining of a function that
// stays may change, too (inlined_otherwise.cc).
//
// A function of one side whose calls were restored (replaced_calls.cc) is known to have moved,
// whatever became of the work.
//
// All this also holds in combination with a true change. If the callers themselves are called twice
// as often, everything below them is. So if counts differ from the base's, they are compared per
// call of the callers.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "reporter/comparison/moved_calls.h"

namespace gprofhub::reporter {

namespace {

// Whether a function's outgoing work is still done, and not done twice.

// Whether the total calls of each of its callees are unchanged; or otherwise the calls from it and
// its callers together, per call of these.
bool WorkIsConserved(const KnownShifts& known, uint32_t function);

// The first condition alone. The change of an `excused` callee is explained otherwise.
bool WorkIsConservedInAll(const KnownShifts& known, uint32_t function,
                          absl::FunctionRef<bool(uint32_t callee)> excused);

// Whether the calls made by a function of one side only equal another function's decrease (or
// increase): then the callee's other calls changed independently.
bool HandedOver(const CallPattern& pattern, const ArcPair& own) {
  const FunctionPair& maker = pattern.Function(own.caller);
  if (maker.before.present() == maker.after.present()) return false;
  const double more = pattern.PerAfter(own) - pattern.PerBefore(own);
  const CallPattern::Arcs callers = pattern.Callers(own.callee);
  return std::any_of(callers.begin(), callers.end(), [&](const ArcPair* other) {
    const double less = pattern.PerBefore(*other) - pattern.PerAfter(*other);
    if (other->caller == kSpontaneous || (more > 0) != (less > 0)) return false;
    return NearlySame(std::fabs(more), std::fabs(less));
  });
}

// Whether `callee` may be called less often because its calls were inlined together with the
// vanished `function`.
bool MayBeInlinedMore(const CallPattern& pattern, uint32_t function, const FunctionPair& callee) {
  return !pattern.Function(function).after.present() && !callee.after.toolchain.empty() &&
         callee.after.may_be_inlined &&
         pattern.PerAfter(callee.after.calls.sum) < pattern.PerBefore(callee.before.calls.sum);
}

bool WorkIsConservedPerCall(const CallPattern& pattern, uint32_t function) {
  const double ratio = pattern.RatioOfCallers(function);
  if (ratio == 0) return false;
  for (const ArcPair* own : pattern.Callees(function)) {
    double before = pattern.PerBefore(*own), after = pattern.PerAfter(*own);
    for (const ArcPair* arc : pattern.Callers(own->callee)) {
      if (arc->caller == kSpontaneous || !pattern.Calls(arc->caller, function)) continue;
      before += pattern.PerBefore(*arc);
      after += pattern.PerAfter(*arc);
    }
    if (!NearlySame(before * ratio, after)) return false;
  }
  return true;
}

bool WorkIsConserved(const KnownShifts& known, uint32_t function) {
  const auto none = [](uint32_t) { return false; };
  return WorkIsConservedInAll(known, function, none) ||
         WorkIsConservedPerCall(known.pattern, function);
}

bool WorkIsConservedInAll(const KnownShifts& known, uint32_t function,
                          absl::FunctionRef<bool(uint32_t callee)> excused) {
  const CallPattern& pattern = known.pattern;
  for (const ArcPair* arc : pattern.Callees(function)) {
    const FunctionPair& callee = pattern.Function(arc->callee);
    // A function that vanished or appeared together with this one is judged by its own callees.
    if (callee.before.present() != callee.after.present()) continue;
    if (known.Moves(arc->callee) || excused(arc->callee)) continue;
    if (MayBeInlinedMore(pattern, function, callee)) continue;
    if (!pattern.Same(callee.before.calls, callee.after.calls) && !HandedOver(pattern, *arc)) {
      return false;
    }
  }
  return true;
}

// Functions whose calls the compiler inlines on one side but not on the other.
//
// A function of one side only was inlined on the other, if all of its callers inline it there.
// Whether they also inline some of its calls on its own side is irrelevant: none of its calls was
// counted on the other side, so counts are no evidence and times decide.
//
// A function that stays may be inlined into some of its callers only, and no longer into others.
// Then it is called less often, though no call was deleted. If the debug information lists inlined
// functions, each group whose calls of it changed must inline it on the side with fewer of its
// calls, and not on the other. Or the calls are those of another function, their *maker*, which was
// inlined into the group on the side with more of them: there the maker's calls counted as the
// group's; on the other side the maker is called, and inlines them.
//
// The inlining of two functions may change together, each because of the other: if a caller no
// longer inlines f, f may begin to inline its callees. So all candidates are assumed to have
// changed, and those that this does not explain are removed one by one: a function that
// makes more calls than before, or fewer, to functions that are not candidates, or one whose
// callers' own calls changed and which are not candidates. The remaining ones explain each other.
// Calls that changed because a caller is called more, or less, need no such explanation: the caller
// is judged on its own.
//
// If a side has no such information, the caller must show it: it took over the calls, or, for a
// function without calls, it grew, and some of the function's calls are inlined somewhere.

// The callers of a function of one side only, if all of them inline it on the other side; empty if
// one does not, or it is unknown.
std::vector<uint32_t> InlinedIntoCallers(const KnownShifts& known, uint32_t function);

// Records the functions of both sides whose calls changed only because of changed inlining.
void NotePartlyInlined(KnownShifts& known);

// Tolerance for the comparison of a maker's calls with those it replaces: its input differs.
constexpr double kTolerated = 1.1;

// Calls of one function from the members of one group.
struct GroupCalls {
  double before = 0, after = 0;
  std::vector<const ArcPair*> arcs;
};

struct Candidate {
  uint32_t function = 0;
  std::vector<uint32_t> by;  // callers at the head whose inlining of it changed
};

class PartlyInlined {
 public:
  explicit PartlyInlined(KnownShifts& known)
      : known_(known),
        pattern_(known.pattern),
        is_candidate_(known.pattern.target().functions.size(), false) {}

  void Run() {
    std::vector<Candidate> candidates = Assumed();
    while (TakeOutUnexplained(candidates)) {
    }
    if (candidates.empty()) return;
    FunctionGroups around = known_.moved;
    for (const Candidate& candidate : candidates) {
      for (const uint32_t caller : candidate.by) around.Join(candidate.function, caller);
    }
    for (const Candidate& candidate : candidates) {
      const uint32_t i = candidate.function;
      const std::vector<uint32_t> together = Together(candidate);
      if (!pattern_.NoSlower(together) &&
          !pattern_.MakeUpFor(together, around.Members(around.GroupOf(i)))) {
        continue;
      }
      known_.Note(i, IsLess(i) ? v1::Shift::INLINED : v1::Shift::OUTLINED, candidate.by);
    }
  }

 private:
  bool IsLess(uint32_t i) const {
    const FunctionPair& function = pattern_.Function(i);
    return pattern_.PerAfter(function.after.calls.sum) <
           pattern_.PerBefore(function.before.calls.sum);
  }

  std::vector<Candidate> Assumed() {
    const MatchedTarget& target = pattern_.target();
    std::vector<Candidate> candidates;
    for (uint32_t i = 0; i < target.functions.size(); ++i) {
      const FunctionPair& function = target.functions[i];
      if (function.is_module || known_.Moves(i)) continue;
      if (!function.before.present() || !function.after.present()) continue;
      if (pattern_.Same(function.before.calls, function.after.calls)) continue;
      std::vector<uint32_t> by =
          target.knows_inlined ? GroupsThatInlineOtherwise(i) : CallersThatShowIt(i, IsLess(i));
      if (by.empty()) continue;
      is_candidate_[i] = true;
      candidates.push_back({i, std::move(by)});
    }
    return candidates;
  }

  // Returns whether any candidate was removed.
  bool TakeOutUnexplained(std::vector<Candidate>& candidates) {
    const size_t were = candidates.size();
    const auto is_unexplained = [&](const Candidate& candidate) {
      const bool stays = std::all_of(candidate.by.begin(), candidate.by.end(),
                                     [&](uint32_t caller) { return CallsAreExplained(caller); }) &&
                         WorkIsConservedInAll(known_, candidate.function, [&](uint32_t callee) {
                           return pattern_.target().knows_inlined && is_candidate_[callee];
                         });
      is_candidate_[candidate.function] = stays;
      return !stays;
    };
    candidates.erase(std::remove_if(candidates.begin(), candidates.end(), is_unexplained),
                     candidates.end());
    return candidates.size() < were;
  }

  bool CallsAreExplained(uint32_t caller) const {
    const FunctionPair& pair = pattern_.Function(caller);
    return !pair.before.present() || is_candidate_[caller] || known_.Moves(caller) ||
           pattern_.Same(pair.before.calls, pair.after.calls);
  }

  // The function, these callers, and their formerly inlined functions, which also took time.
  std::vector<uint32_t> Together(const Candidate& candidate) const {
    std::vector<uint32_t> together = candidate.by;
    together.push_back(candidate.function);
    for (const uint32_t caller : candidate.by) {
      for (const ArcPair* arc : pattern_.Callees(caller)) {
        if (known_.Moves(arc->callee)) together.push_back(arc->callee);
      }
    }
    std::sort(together.begin(), together.end());
    together.erase(std::unique(together.begin(), together.end()), together.end());
    return together;
  }

  std::map<uint32_t, GroupCalls> CallsByGroup(uint32_t i) const {
    std::map<uint32_t, GroupCalls> calls;
    for (const ArcPair* arc : pattern_.Callers(i)) {
      const bool is_known = arc->caller != kSpontaneous;
      GroupCalls& group = calls[is_known ? known_.groups.GroupOf(arc->caller) : kSpontaneous];
      group.before += pattern_.PerBefore(*arc);
      group.after += pattern_.PerAfter(*arc);
      group.arcs.push_back(arc);
    }
    return calls;
  }

  // Members, at the head, of groups whose calls of the function changed; empty if one of these
  // groups did not change its inlining.
  std::vector<uint32_t> GroupsThatInlineOtherwise(uint32_t i) const {
    std::vector<uint32_t> by;
    for (const auto& [group, calls] : CallsByGroup(i)) {
      if (NearlySame(calls.before, calls.after) || FollowsItsCallers(calls)) continue;
      if (group == kSpontaneous) return {};
      const bool fewer_at_head = calls.after < calls.before;
      if (!known_.InlinedOtherwise(group, i, fewer_at_head) &&
          !CameWithTheirMakers(calls, i, fewer_at_head)) {
        return {};
      }
      for (const uint32_t member : known_.groups.Members(group)) {
        if (member != i && pattern_.Function(member).after.present()) by.push_back(member);
      }
    }
    return by;
  }

  // Whether the function's calls per call of its callers are unchanged.
  bool FollowsItsCallers(const GroupCalls& group) const {
    return std::all_of(group.arcs.begin(), group.arcs.end(), [&](const ArcPair* arc) {
      const FunctionPair* const caller = pattern_.CallerThatStayed(*arc);
      if (caller == nullptr) return false;
      const double before = pattern_.PerBefore(caller->before.calls.sum);
      const double after = pattern_.PerAfter(caller->after.calls.sum);
      return before > 0 && after > 0 &&
             NearlySame(pattern_.PerBefore(*arc) / before, pattern_.PerAfter(*arc) / after);
    });
  }

  // Whether all calls of the function that a group's members make on one side only come from
  // makers: all callers have the same number of them per call of a maker, and no more than the
  // maker makes elsewhere.
  bool CameWithTheirMakers(const GroupCalls& group, uint32_t i, bool fewer_at_head) const {
    double for_each = 0;
    for (const ArcPair* arc : group.arcs) {
      const double more = pattern_.Per(*arc, !fewer_at_head) - pattern_.Per(*arc, fewer_at_head);
      if (NearlySame(pattern_.PerBefore(*arc), pattern_.PerAfter(*arc))) continue;
      double calls = 0, most = 0;
      for (const ArcPair* own : pattern_.Callees(arc->caller)) {
        if (!IsMaker(*own, i, fewer_at_head)) continue;
        const double made = pattern_.Per(*own, fewer_at_head) - pattern_.Per(*own, !fewer_at_head);
        calls += made;
        most += made * MadeForEachCall(own->callee, i, !fewer_at_head);
      }
      if (more < 0 || calls <= 0) return false;
      if (most > 0 && more > kTolerated * most) return false;
      if (for_each != 0 && !NearlySame(more / calls, for_each)) return false;
      for_each = more / calls;
    }
    return for_each > 0;
  }

  // Whether the callee of `own` inlines `i` on the side with fewer calls of `i`, and on the other
  // side is itself inlined into the caller's group or does not exist.
  bool IsMaker(const ArcPair& own, uint32_t i, bool fewer_at_head) const {
    const FunctionPair& maker = pattern_.Function(own.callee);
    if (!known_.Inlines(own.callee, i, fewer_at_head)) return false;
    const uint32_t group = known_.groups.GroupOf(own.caller);
    if (!(fewer_at_head ? maker.before : maker.after).present()) {
      return known_.groups.GroupOf(own.callee) == group;
    }
    return known_.InlinedOtherwise(group, own.callee, !fewer_at_head);
  }

  // Calls of another function per call of the maker; 0: none was counted.
  double MadeForEachCall(uint32_t maker, uint32_t i, bool at_head) const {
    const FunctionPair& pair = pattern_.Function(maker);
    const double calls = at_head ? pattern_.PerAfter(pair.after.calls.sum)
                                 : pattern_.PerBefore(pair.before.calls.sum);
    for (const ArcPair* arc : pattern_.Callees(maker)) {
      if (arc->callee == i && calls > 0) return pattern_.Per(*arc, at_head) / calls;
    }
    return 0;
  }

  // The callers whose calls of the function changed, if inlining is unknown; empty if one of them
  // does not show a change of inlining.
  std::vector<uint32_t> CallersThatShowIt(uint32_t i, bool is_less) const {
    std::vector<uint32_t> by;
    for (const ArcPair* arc : pattern_.Callers(i)) {
      if (pattern_.Same(arc->before, arc->after)) continue;
      if ((pattern_.PerAfter(*arc) < pattern_.PerBefore(*arc)) != is_less) {
        if (!TookOver(*arc)) return {};
        continue;
      }
      const bool was_inlined = arc->caller != kSpontaneous && known_.Moves(arc->caller) &&
                               pattern_.InlinesCallsOf(i, is_less);
      if (!was_inlined &&
          (pattern_.SteadyCaller(*arc) == nullptr || !ShowsIt(arc->caller, i, is_less))) {
        return {};
      }
      by.push_back(arc->caller);
    }
    return by;
  }

  // Whether the caller's calls changed by taking over calls from a former or new callee, or by
  // handing calls over.
  bool TookOver(const ArcPair& arc) const {
    if (arc.caller == kSpontaneous) return false;
    const CallPattern::Arcs callers = pattern_.Callers(arc.callee);
    return std::any_of(callers.begin(), callers.end(), [&](const ArcPair* other) {
      return other->caller != kSpontaneous && known_.Moves(other->caller) &&
             pattern_.Calls(arc.caller, other->caller);
    });
  }

  // Whether the caller shows that it inlines additional calls of the function (`more`), or fewer.
  bool ShowsIt(uint32_t caller, uint32_t function, bool more) const {
    const FunctionPair& by = pattern_.Function(caller);
    if (!pattern_.InlinesCallsOf(function, more)) return false;
    if (by.before.size == 0 || by.after.size == 0) return false;
    bool calls_nothing = true;
    for (const ArcPair* own : pattern_.Callees(function)) {
      if (known_.Moves(own->callee)) continue;  // moves along with it
      calls_nothing = false;
      for (const ArcPair* arc : pattern_.Callees(caller)) {
        if (arc->callee == own->callee &&
            (pattern_.PerAfter(*arc) > pattern_.PerBefore(*arc)) == more &&
            !pattern_.Same(arc->before, arc->after)) {
          return true;
        }
      }
    }
    return calls_nothing &&
           (more ? by.after.size > by.before.size : by.after.size < by.before.size);
  }

  KnownShifts& known_;
  const CallPattern& pattern_;
  std::vector<bool> is_candidate_;
};

std::vector<uint32_t> InlinedIntoCallers(const KnownShifts& known, uint32_t function) {
  const bool at_head = !known.pattern.Function(function).after.present();
  if (!known.pattern.target().knows_inlined) return {};
  std::vector<uint32_t> into;
  for (const ArcPair* arc : known.pattern.Callers(function)) {
    if (arc->caller == kSpontaneous) return {};
    if (!known.InlinedInto(known.groups.GroupOf(arc->caller), function, at_head)) return {};
    into.push_back(arc->caller);
  }
  return into;
}

void NotePartlyInlined(KnownShifts& known) { PartlyInlined(known).Run(); }

// Maximum nesting of inlined functions that explain each other.
constexpr int kMostInlineDepth = 8;

class ShiftFinder {
 public:
  explicit ShiftFinder(const MatchedTarget& target) : known_(target), pattern_(known_.pattern) {}

  CostShifts Run() {
    for (uint32_t i = 0; i < FunctionCount(); ++i) {
      const FunctionPair& function = pattern_.Function(i);
      if (!function.is_module && function.before.present() && function.after.present()) {
        NoteNewPlace(i);
      }
    }
    // An inlined function takes its calls with it, so one function explains others.
    size_t found = 0;
    for (int round = 0; round < kMostInlineDepth; ++round) {
      // A function outlined from a vanished function follows that function's destination.
      NoteLone(true);
      NoteLone(false);
      NotePartlyInlined(known_);
      const CostShifts& shifts = known_.shifts;
      const auto now = static_cast<size_t>(std::count_if(shifts.begin(), shifts.end(), MovesCalls));
      if (std::exchange(found, now) == now) break;
    }
    return std::move(known_.shifts);
  }

 private:
  uint32_t FunctionCount() const {
    return static_cast<uint32_t>(pattern_.target().functions.size());
  }

  // Functions of one side only: the base, if `vanished`, or the head.
  void NoteLone(bool vanished) {
    for (uint32_t i = 0; i < FunctionCount(); ++i) {
      const FunctionPair& function = pattern_.Function(i);
      if (function.is_module || known_.Moves(i)) continue;
      if (function.before.present() != vanished || function.after.present() == vanished) continue;
      vanished ? NoteVanished(i) : NoteAppeared(i);
    }
  }

  void NoteNewPlace(uint32_t i) {
    const FunctionPair& function = pattern_.Function(i);
    v1::Shift& shift = known_.shifts[i];
    if (!function.renamed_from.empty() && !function.renumbered) {
      shift.set_kind(v1::Shift::RENAMED);
      shift.add_with(std::string(function.renamed_from));
    } else if (!function.before.file.empty() && !function.after.file.empty() &&
               function.before.file != function.after.file) {
      shift.set_kind(v1::Shift::MOVED);
      shift.add_with(std::string(function.before.file));
    }
  }

  void NoteVanished(uint32_t i) {
    if (const std::vector<uint32_t> into = InlinedIntoCallers(known_, i); !into.empty()) {
      known_.Note(i, v1::Shift::INLINED, into);
      return;
    }
    const std::vector<uint32_t> became = Counterparts(known_, i);
    if (pattern_.Function(i).after.calls.restored) {
      became.empty() ? known_.Note(i, v1::Shift::INLINED, CallersOf(i))
                     : known_.Note(i, v1::Shift::SPLIT, became);
      return;
    }
    if (!WorkIsConserved(known_, i)) return;
    if (!became.empty()) {
      known_.Note(i, v1::Shift::SPLIT, became);
      return;
    }
    std::vector<uint32_t> into;
    for (const ArcPair* arc : pattern_.Callers(i)) {
      const FunctionPair* const caller = pattern_.CallerThatStayed(*arc);
      if (caller == nullptr || arc->before.sum == 0) continue;
      const bool sizes_known = caller->before.size > 0 && caller->after.size > 0;
      const bool grew = sizes_known && caller->after.size >= caller->before.size;
      if (!grew && !pattern_.TookOverCalls(arc->caller, i)) continue;
      if (pattern_.Faster(i, arc->caller)) continue;
      into.push_back(arc->caller);
    }
    if (!into.empty()) known_.Note(i, v1::Shift::INLINED, into);
  }

  void NoteAppeared(uint32_t i) {
    if (const std::vector<uint32_t> out_of = InlinedIntoCallers(known_, i); !out_of.empty()) {
      NoteUnlessSlower(i, v1::Shift::OUTLINED, out_of);
      return;
    }
    const std::vector<uint32_t> were = Counterparts(known_, i);
    if (pattern_.Function(i).before.calls.restored) {
      were.empty() ? known_.Note(i, v1::Shift::OUTLINED, CallersOf(i))
                   : known_.Note(i, v1::Shift::SPLIT, were);
      return;
    }
    if (!WorkIsConserved(known_, i)) return;
    if (!were.empty()) {
      NoteUnlessSlower(i, v1::Shift::SPLIT, were);
      return;
    }
    const Givers givers = GiversOf(known_, i);
    if (!givers.whole.empty()) {
      NoteUnlessSlower(i, v1::Shift::SPLIT, givers.whole);
    } else if (!givers.parts.empty()) {
      NoteUnlessSlower(i, v1::Shift::OUTLINED, givers.parts);
    }
  }

  std::vector<uint32_t> CallersOf(uint32_t i) const {
    std::vector<uint32_t> callers;
    for (const ArcPair* arc : pattern_.Callers(i)) {
      if (arc->caller != kSpontaneous) callers.push_back(arc->caller);
    }
    return callers;
  }

  void NoteUnlessSlower(uint32_t i, v1::Shift::Kind kind, const std::vector<uint32_t>& with) {
    std::vector<uint32_t> together = with;
    together.push_back(i);
    if (known_.NoSlower(together)) known_.Note(i, kind, with);
  }

  KnownShifts known_;
  const CallPattern& pattern_;
};

}  // namespace

CostShifts FindCostShifts(const MatchedTarget& target) { return ShiftFinder(target).Run(); }

}  // namespace gprofhub::reporter
