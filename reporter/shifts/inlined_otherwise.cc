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
#include "reporter/shifts/inlined_otherwise.h"

#include <algorithm>
#include <map>
#include <utility>

#include "reporter/shifts/conserved_work.h"

namespace gprofhub::reporter {
namespace {

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

}  // namespace

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

}  // namespace gprofhub::reporter
