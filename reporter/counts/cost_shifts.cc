// A refactoring changes which functions there are, not what is done. Exact counts
// show it: what a function calls is the work that it hands on, and if every
// function that it called is called as often as before in all, by whomever, that
// work is still done and not done twice.
//
// A function that vanished was *inlined* into a caller if its work is still done,
// that caller is called as often as before, and the caller grew (its code did not
// shrink, as it would if the call had just been deleted) or took over its calls. It
// was *split*, or merged, if a new function with a caller in common is called as
// often as it was.
//
// A function that appeared calls what others called before, as long as that is called
// as often as before in all: it was taken *out* of its callers that call it less now,
// or comes of functions that vanished (a *split*, or a merger). Where calls
// do not tell, it was taken out of a caller whose code shrank by about as much as the new
// function has.
// It comes of a split, too, if a vanished function with a caller in common was called as
// often, or if its code is as large as that of a function of its file was, which shrank:
// the work moved, and left a stub behind, which may since be inlined anywhere. In all
// cases the functions together must not have become slower, as far as samples can tell:
// a new function that does new work is no refactoring.
//
// A function that stays may be inlined into some of its callers only, and no longer into others. It
// is called less often then, though no call was deleted. The caller shows it: it took over the
// calls, or, of a function that calls nothing, it grew, and the debug information says that calls
// of the function are inlined somewhere. If the caller no longer inlines it, the same the other way
// round.
//
// Where the debug information says what was inlined into what (inlined_groups.h), it is asked
// instead. A function that is gone, and is inlined into all that called it, was inlined, whatever
// became of what it calls: that is judged on its own. It and these callers are one group from then
// on: calls from any of them are the group's. A function whose calls from a group changed is
// inlined otherwise there, if it is inlined into the group at the side with fewer calls only. Or
// the calls are those of a function of the group that is gone, and that inlined them: all its
// callers make as many of them for each call of it.
//
// All this holds beside a true change, too. If the callers themselves are called twice as often,
// all below them is. So where counts are not those of before, they are compared per call of the
// callers.
#include "reporter/counts/cost_shifts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "reporter/counts/call_pattern.h"
#include "reporter/counts/inlined_groups.h"

namespace gprofhub::reporter {
namespace {

// Inlined functions that explain each other nest no deeper.
constexpr int kRounds = 8;

class Finder : CallPattern {
 public:
  explicit Finder(const MatchedTarget& target)
      : CallPattern(target), shifts_(target.functions.size()) {}

  CostShifts Run() {
    for (uint32_t i = 0; i < target_.functions.size(); ++i) {
      const FunctionPair& function = target_.functions[i];
      if (!function.is_module && function.before.present() && function.after.present()) {
        NoteNewPlace(i);
      }
    }
    // What is inlined takes with it what it calls: one such function explains others.
    size_t known = 0;
    for (int round = 0; round < kRounds; ++round) {
      // What came out of a function that is gone is known by where that went.
      for (const bool vanished : {true, false}) {
        for (uint32_t i = 0; i < target_.functions.size(); ++i) {
          const FunctionPair& function = target_.functions[i];
          if (function.is_module || MovesCalls(shifts_[i])) continue;
          if (vanished == (function.before.present() && !function.after.present())) {
            NoteMovedCalls(i);
          }
        }
      }
      const auto found = static_cast<size_t>(std::count_if(
          shifts_.begin(), shifts_.end(), [](const v1::Shift& s) { return MovesCalls(s); }));
      if (std::exchange(known, found) == found) break;
    }
    return std::move(shifts_);
  }

 private:
  void NoteMovedCalls(uint32_t i) {
    const FunctionPair& function = target_.functions[i];
    if (function.before.present() && function.after.present()) {
      NotePartlyInlined(i);
    } else if (function.before.present()) {
      NoteVanished(i);
    } else if (function.after.present()) {
      NoteAppeared(i);
    }
  }

  // Whether nothing that it called (or calls) is called more often, or less; or not by it and its
  // callers together, for each call of these.
  bool WorkIsConserved(uint32_t function) const {
    return WorkIsConservedInAll(function) || WorkIsConservedPerCall(function);
  }

  bool WorkIsConservedInAll(uint32_t function) const {
    for (const ArcPair* arc : callees_[function]) {
      const FunctionPair& callee = target_.functions[arc->callee];
      // A function that came or went with this one is judged by its own callees.
      if (callee.before.present() != callee.after.present()) continue;
      if (MovesCalls(shifts_[arc->callee]) || MayBeInlinedMore(function, callee)) continue;
      if (!Same(callee.before.calls, callee.after.calls) && !HandedOver(*arc)) return false;
    }
    return true;
  }

  // Whether the calls that a function makes, which one side alone has, are as many as another
  // function makes less (or more): a true change of the callee's other calls is beside that.
  bool HandedOver(const ArcPair& own) const {
    const FunctionPair& maker = target_.functions[own.caller];
    if (maker.before.present() == maker.after.present()) return false;
    const double more = PerAfter(own) - PerBefore(own);
    return std::any_of(callers_[own.callee].begin(), callers_[own.callee].end(),
                       [&](const ArcPair* other) {
                         const double less = PerBefore(*other) - PerAfter(*other);
                         if (other->caller == kSpontaneous || (more > 0) != (less > 0))
                           return false;
                         return NearlySame(std::fabs(more), std::fabs(less));
                       });
  }

  // Whether `callee` may be called less often because calls of it were inlined along with
  // `function`, which is gone.
  bool MayBeInlinedMore(uint32_t function, const FunctionPair& callee) const {
    return !target_.functions[function].after.present() && !callee.after.toolchain.empty() &&
           callee.after.may_be_inlined &&
           PerAfter(callee.after.calls.sum) < PerBefore(callee.before.calls.sum);
  }

  // The function of the other side that `function` and it became, or came, of:
  // called as often, by a common caller. One that was inlined into the other came out of it.
  std::vector<uint32_t> Counterparts(uint32_t function) const {
    const bool vanished = target_.functions[function].before.present();
    const Count& calls = vanished ? target_.functions[function].before.calls
                                  : target_.functions[function].after.calls;
    std::vector<uint32_t> found;
    for (const ArcPair* arc : callers_[function]) {
      if (arc->caller == kSpontaneous) continue;
      for (const ArcPair* other : callees_[arc->caller]) {
        const FunctionPair& candidate = target_.functions[other->callee];
        const bool other_side = vanished ? !candidate.before.present() && candidate.after.present()
                                         : candidate.before.present() && !candidate.after.present();
        if (!other_side || candidate.is_module) continue;
        // What came out of it is not what it became.
        if (vanished ? groups_.Inlines(function, other->callee, false)
                     : groups_.Inlines(other->callee, function, false)) {
          continue;
        }
        bool same =
            vanished ? Same(calls, candidate.after.calls) : Same(candidate.before.calls, calls);
        if (const double ratio = RatioOfCallers(function); !same && ratio != 0) {
          same =
              vanished
                  ? NearlySame(PerBefore(calls.sum) * ratio, PerAfter(candidate.after.calls.sum))
                  : NearlySame(PerBefore(candidate.before.calls.sum) * ratio, PerAfter(calls.sum));
        }
        if (same && std::find(found.begin(), found.end(), other->callee) == found.end()) {
          found.push_back(other->callee);
        }
      }
    }
    return found;
  }

  void Note(uint32_t function, v1::Shift::Kind kind, const std::vector<uint32_t>& with) {
    const FunctionPair& pair = target_.functions[function];
    shifts_[function].Clear();
    shifts_[function].set_kind(kind);
    for (const uint32_t other : with) {
      shifts_[function].add_with(target_.functions[other].name);
      // What one side alone has shares the work of the others.
      if (pair.before.present() != pair.after.present()) groups_.Join(function, other);
    }
  }

  // Callers of a function that one side alone has, whose groups all inline it at the other side;
  // empty: not all do.
  std::vector<uint32_t> InlinedIntoCallers(uint32_t i) const {
    const bool at_head = !target_.functions[i].after.present();
    std::vector<uint32_t> into;
    for (const ArcPair* arc : callers_[i]) {
      if (arc->caller == kSpontaneous) return {};
      if (!groups_.InlinedOtherwise(groups_.GroupOf(arc->caller), i, at_head)) return {};
      into.push_back(arc->caller);
    }
    return into;
  }

  void NoteNewPlace(uint32_t i) {
    const FunctionPair& function = target_.functions[i];
    if (!function.renamed_from.empty()) {
      shifts_[i].set_kind(v1::Shift::RENAMED);
      shifts_[i].add_with(function.renamed_from);
    } else if (!function.before.file.empty() && !function.after.file.empty() &&
               function.before.file != function.after.file) {
      shifts_[i].set_kind(v1::Shift::MOVED);
      shifts_[i].add_with(function.before.file);
    }
  }

  void NoteVanished(uint32_t i) {
    if (const std::vector<uint32_t> into = InlinedIntoCallers(i); !into.empty()) {
      Note(i, v1::Shift::INLINED, into);
      return;
    }
    if (!WorkIsConserved(i)) return;
    const std::vector<uint32_t> counterparts = Counterparts(i);
    if (!counterparts.empty()) {
      Note(i, v1::Shift::SPLIT, counterparts);
      return;
    }
    std::vector<uint32_t> into;
    for (const ArcPair* arc : callers_[i]) {
      const FunctionPair* const caller = CallerThatStayed(*arc);
      if (caller == nullptr || arc->before.sum == 0) continue;
      const bool sizes_known = caller->before.size > 0 && caller->after.size > 0;
      const bool grew = sizes_known && caller->after.size >= caller->before.size;
      if (!grew && !TookOverCalls(arc->caller, i)) continue;
      if (Faster(i, arc->caller)) continue;
      into.push_back(arc->caller);
    }
    if (!into.empty()) Note(i, v1::Shift::INLINED, into);
  }

  void NoteAppeared(uint32_t i) {
    if (const std::vector<uint32_t> out_of = InlinedIntoCallers(i); !out_of.empty()) {
      std::vector<uint32_t> together = out_of;
      together.push_back(i);
      if (NoSlower(together)) Note(i, v1::Shift::OUTLINED, out_of);
      return;
    }
    if (!WorkIsConserved(i)) return;
    std::vector<uint32_t> together = Counterparts(i);
    if (!together.empty()) {
      const std::vector<uint32_t> with = together;
      together.push_back(i);
      if (NoSlower(together)) Note(i, v1::Shift::SPLIT, with);
      return;
    }
    std::vector<uint32_t> vanished, out_of;
    for (const uint32_t giver : Givers(i)) {
      (target_.functions[giver].after.present() ? out_of : vanished).push_back(giver);
    }
    if (vanished.empty() && out_of.empty()) out_of = GiversOfCode(i);
    if (vanished.empty() && out_of.empty()) out_of = GiversOfTheirEnd(i);
    v1::Shift::Kind kind = v1::Shift::OUTLINED;
    if (!vanished.empty() || out_of.empty()) kind = v1::Shift::SPLIT;
    if (!vanished.empty()) out_of = std::move(vanished);
    if (out_of.empty()) out_of = LeftAsStubs(i);
    if (out_of.empty()) return;
    together = out_of;
    together.push_back(i);
    if (NoSlower(together)) Note(i, kind, out_of);
  }

  // Of a function that stays: whether all that changed of its calls was inlined, or no longer is.
  void NotePartlyInlined(uint32_t i) {
    const FunctionPair& function = target_.functions[i];
    if (function.is_module || !function.before.present() || !function.after.present()) return;
    if (Same(function.before.calls, function.after.calls) || !WorkIsConservedInAll(i)) return;
    const bool is_less = PerAfter(function.after.calls.sum) < PerBefore(function.before.calls.sum);
    std::vector<uint32_t> by =
        groups_.known() ? GroupsThatInlineOtherwise(i) : InlineOtherwise(i, is_less);
    if (by.empty()) return;
    std::vector<uint32_t> together = by;
    together.push_back(i);
    // What they inlined before it took time with it, too.
    for (const uint32_t caller : by) {
      for (const ArcPair* arc : callees_[caller]) {
        if (MovesCalls(shifts_[arc->callee])) together.push_back(arc->callee);
      }
    }
    std::sort(together.begin(), together.end());
    together.erase(std::unique(together.begin(), together.end()), together.end());
    if (NoSlower(together)) Note(i, is_less ? v1::Shift::INLINED : v1::Shift::OUTLINED, by);
  }

  // What the head has of groups whose calls of the function changed; empty: one of these groups
  // does not inline it otherwise, or is called otherwise itself.
  std::vector<uint32_t> GroupsThatInlineOtherwise(uint32_t i) const {
    std::map<uint32_t, std::pair<double, double>> calls;  // by group
    for (const ArcPair* arc : callers_[i]) {
      const uint32_t group =
          arc->caller == kSpontaneous ? kSpontaneous : groups_.GroupOf(arc->caller);
      calls[group].first += PerBefore(*arc);
      calls[group].second += PerAfter(*arc);
    }
    std::vector<uint32_t> by;
    for (const auto& [group, count] : calls) {
      if (NearlySame(count.first, count.second)) continue;
      if (group == kSpontaneous) return {};
      const bool fewer_at_head = count.second < count.first;
      if (!groups_.InlinedOtherwise(group, i, fewer_at_head) &&
          !CameWithTheirMakers(group, i, fewer_at_head)) {
        return {};
      }
      for (const uint32_t member : groups_.Members(group)) {
        const FunctionPair& caller = target_.functions[member];
        if (!caller.after.present()) continue;
        if (caller.before.present() && !Same(caller.before.calls, caller.after.calls)) return {};
        by.push_back(member);
      }
    }
    return by;
  }

  // Whether all calls of the function that the group's members make at one side only are those of
  // members which the other side alone has, and which inlined them: one caller makes as many
  // of them for each call of such a member as the next.
  bool CameWithTheirMakers(uint32_t group, uint32_t i, bool fewer_at_head) const {
    double for_each = 0;
    for (const ArcPair* arc : callers_[i]) {
      if (arc->caller == kSpontaneous || groups_.GroupOf(arc->caller) != group) continue;
      if (NearlySame(PerBefore(*arc), PerAfter(*arc))) continue;
      const double more = (PerAfter(*arc) - PerBefore(*arc)) * (fewer_at_head ? -1 : 1);
      double calls = 0;
      for (const ArcPair* own : callees_[arc->caller]) {
        const FunctionPair& maker = target_.functions[own->callee];
        const bool is_lone = !(fewer_at_head ? maker.before : maker.after).present();
        if (!is_lone || groups_.GroupOf(own->callee) != group) continue;
        if (!groups_.Inlines(own->callee, i, fewer_at_head)) continue;
        calls += fewer_at_head ? PerAfter(*own) : PerBefore(*own);
      }
      if (more < 0 || calls == 0) return false;
      if (for_each != 0 && !NearlySame(more / calls, for_each)) return false;
      for_each = more / calls;
    }
    return for_each > 0;
  }

  // The callers that call the function otherwise, where it is not known what was inlined; empty:
  // one of them does not inline it otherwise.
  std::vector<uint32_t> InlineOtherwise(uint32_t i, bool is_less) const {
    std::vector<uint32_t> by;
    for (const ArcPair* arc : callers_[i]) {
      if (Same(arc->before, arc->after)) continue;
      if ((PerAfter(*arc) < PerBefore(*arc)) != is_less) {
        if (!TookOver(*arc)) return {};
        continue;
      }
      const bool was_inlined = arc->caller != kSpontaneous && MovesCalls(shifts_[arc->caller]) &&
                               InlinesCallsOf(i, is_less);
      if (!was_inlined &&
          (SteadyCaller(*arc) == nullptr || !InlinesOtherwise(arc->caller, i, is_less))) {
        return {};
      }
      by.push_back(arc->caller);
    }
    return by;
  }

  // Whether a caller calls otherwise what a function did, or does, that moved its calls to it or
  // from it.
  bool TookOver(const ArcPair& arc) const {
    if (arc.caller == kSpontaneous) return false;
    return std::any_of(
        callers_[arc.callee].begin(), callers_[arc.callee].end(), [&](const ArcPair* other) {
          return other->caller != kSpontaneous && MovesCalls(shifts_[other->caller]) &&
                 Calls(arc.caller, other->caller);
        });
  }

  // Whether the caller shows that it inlines calls of the function that it did not before (`more`),
  // or the other way round.
  bool InlinesOtherwise(uint32_t caller, uint32_t function, bool more) const {
    const FunctionPair& by = target_.functions[caller];
    if (!InlinesCallsOf(function, more)) return false;
    if (by.before.size == 0 || by.after.size == 0) return false;
    bool calls_nothing = true;
    for (const ArcPair* own : callees_[function]) {
      if (MovesCalls(shifts_[own->callee])) continue;  // along with it
      calls_nothing = false;
      for (const ArcPair* arc : callees_[caller]) {
        if (arc->callee == own->callee && (PerAfter(*arc) > PerBefore(*arc)) == more &&
            !Same(arc->before, arc->after)) {
          return true;
        }
      }
    }
    return calls_nothing &&
           (more ? by.after.size > by.before.size : by.after.size < by.before.size);
  }

  // What called less often what the new function calls: its callers, and functions
  // that vanished. None if it calls something new.
  std::vector<uint32_t> Givers(uint32_t function) const {
    std::vector<uint32_t> givers;
    for (const ArcPair* taken : callees_[function]) {
      if (taken->after.sum == 0) continue;
      if (!target_.functions[taken->callee].before.present()) return {};
      for (const ArcPair* given : callers_[taken->callee]) {
        const uint32_t giver = given->caller;
        if (giver == kSpontaneous || giver == function) continue;
        if (PerAfter(*given) >= PerBefore(*given)) continue;
        const bool gone = !target_.functions[giver].after.present();
        if (!gone && !Calls(giver, function) && !MayEndInCallsOf(giver, function)) continue;
        if (std::find(givers.begin(), givers.end(), giver) == givers.end()) {
          givers.push_back(giver);
        }
      }
    }
    return givers;
  }

  CostShifts shifts_;
};

}  // namespace

bool MovesCalls(const v1::Shift& shift) {
  return shift.kind() == v1::Shift::INLINED || shift.kind() == v1::Shift::OUTLINED ||
         shift.kind() == v1::Shift::SPLIT;
}

CostShifts FindCostShifts(const MatchedTarget& target) { return Finder(target).Run(); }

}  // namespace gprofhub::reporter
