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
// calls, or, of a function that calls nothing, it grew, and the debug information says that calls of
// the function are inlined somewhere. If the caller no longer inlines it, the same the other way
// round.
//
// All this holds beside a true change, too. If the callers themselves are called twice as often, all
// below them is. So where counts are not those of before, they are compared per call of the callers.
#include "reporter/counts/cost_shifts.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "reporter/matching/same_ratio.h"

namespace gprofhub::reporter {
namespace {

// From so many samples on times have a say.
constexpr double kEnoughSamples = 50;

// Counts per execution and per call, as far as they were divided.
bool NearlySame(double a, double b) { return std::fabs(a - b) <= 1e-9 * std::max(a, b); }

// Bytes of code that a function of its own costs: its beginning and end, the profiling
// call, and the call of it.
constexpr uint64_t kOwnFunction = 40;

class Finder {
 public:
  explicit Finder(const MatchedTarget& target)
      : target_(target),
        callers_(target.functions.size()),
        callees_(target.functions.size()),
        shifts_(target.functions.size()) {
    for (const ArcPair& arc : target.arcs) {
      if (arc.caller == arc.callee) continue;
      callees_of(arc.caller).push_back(&arc);
      callers_[arc.callee].push_back(&arc);
    }
  }

  CostShifts Run() {
    for (uint32_t i = 0; i < target_.functions.size(); ++i) {
      const FunctionPair& function = target_.functions[i];
      if (function.is_module) continue;
      if (function.before.present() && function.after.present()) {
        NoteNewPlace(i);
      } else if (function.before.present()) {
        NoteVanished(i);
      } else if (function.after.present()) {
        NoteAppeared(i);
      }
    }
    for (uint32_t i = 0; i < target_.functions.size(); ++i) NotePartlyInlined(i);
    return std::move(shifts_);
  }

 private:
  std::vector<const ArcPair*>& callees_of(uint32_t function) {
    return function == kSpontaneous ? of_nobody_ : callees_[function];
  }

  bool Same(const Count& before, const Count& after) const {
    return SameRatio(before.sum, target_.repetitions_before, after.sum, target_.repetitions_after);
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
      if (!Same(callee.before.calls, callee.after.calls)) return false;
    }
    return true;
  }

  // How many times as often the function's callers are called; 0: they are not all the same on both
  // sides, or differ in it.
  double RatioOfCallers(uint32_t function) const {
    double ratio = 0;
    for (const ArcPair* arc : callers_[function]) {
      if (arc->caller == kSpontaneous) return 0;
      const FunctionPair& caller = target_.functions[arc->caller];
      if (caller.before.calls.sum == 0 || caller.after.calls.sum == 0) return 0;
      const double own = PerAfter(caller.after.calls.sum) / PerBefore(caller.before.calls.sum);
      if (ratio != 0 && !NearlySame(own, ratio)) return 0;
      ratio = own;
    }
    return ratio;
  }

  bool WorkIsConservedPerCall(uint32_t function) const {
    const double ratio = RatioOfCallers(function);
    if (ratio == 0) return false;
    for (const ArcPair* own : callees_[function]) {
      double before = PerBefore(own->before.sum), after = PerAfter(own->after.sum);
      for (const ArcPair* arc : callers_[own->callee]) {
        if (arc->caller == kSpontaneous || !Calls(arc->caller, function)) continue;
        before += PerBefore(arc->before.sum);
        after += PerAfter(arc->after.sum);
      }
      if (!NearlySame(before * ratio, after)) return false;
    }
    return true;
  }

  // A caller of `arc` that is the same function on both sides.
  const FunctionPair* CallerThatStayed(const ArcPair& arc) const {
    if (arc.caller == kSpontaneous) return nullptr;
    const FunctionPair& caller = target_.functions[arc.caller];
    return caller.before.present() && caller.after.present() ? &caller : nullptr;
  }

  // One that is called as often, too.
  const FunctionPair* SteadyCaller(const ArcPair& arc) const {
    const FunctionPair* const caller = CallerThatStayed(arc);
    return caller != nullptr && Same(caller->before.calls, caller->after.calls) ? caller : nullptr;
  }

  // Whether `caller` calls something that `function` called as much more often.
  bool TookOverCalls(uint32_t caller, uint32_t function) const {
    for (const ArcPair* lost : callees_[function]) {
      if (lost->before.sum == 0) continue;
      for (const ArcPair* gained : callees_[caller]) {
        if (gained->callee == lost->callee && PerAfter(*gained) > PerBefore(*gained)) return true;
      }
    }
    return false;
  }

  double PerBefore(uint64_t sum) const {
    return static_cast<double>(sum) / static_cast<double>(target_.repetitions_before);
  }
  double PerAfter(uint64_t sum) const {
    return static_cast<double>(sum) / static_cast<double>(target_.repetitions_after);
  }
  double PerBefore(const ArcPair& arc) const { return PerBefore(arc.before.sum); }
  double PerAfter(const ArcPair& arc) const { return PerAfter(arc.after.sum); }

  // Whether the functions together take no more of the target's samples than
  // before, as far as their number can tell.
  bool NoSlower(const std::vector<uint32_t>& functions) const {
    double before = 0, after = 0;
    for (const uint32_t i : functions) {
      before += target_.functions[i].before.self_samples;
      after += target_.functions[i].after.self_samples;
    }
    before /= static_cast<double>(target_.repetitions_before);
    after /= static_cast<double>(target_.repetitions_after);
    const double samples = before + after;
    if (samples < kEnoughSamples) return true;
    return after - before <= 0.1 * before + 3 * std::sqrt(samples);
  }

  // Whether they take noticeably less.
  bool Faster(uint32_t vanished, uint32_t caller) const {
    const FunctionPair& gone = target_.functions[vanished];
    const FunctionPair& stays = target_.functions[caller];
    const double lost = gone.before.self_samples / static_cast<double>(target_.repetitions_before);
    if (lost < kEnoughSamples) return false;
    const double gained =
        stays.after.self_samples / static_cast<double>(target_.repetitions_after) -
        stays.before.self_samples / static_cast<double>(target_.repetitions_before);
    const double error = std::sqrt(lost + 2 * stays.before.self_samples /
                                              static_cast<double>(target_.repetitions_before));
    return gained + 3 * error < 0.5 * lost;
  }

  bool ShareACaller(uint32_t a, uint32_t b) const {
    for (const ArcPair* of_a : callers_[a]) {
      for (const ArcPair* of_b : callers_[b]) {
        if (of_a->caller == of_b->caller && of_a->caller != kSpontaneous) return true;
      }
    }
    return false;
  }

  // The function of the other side that `function` and it became, or came, of:
  // called as often, by a common caller.
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
        bool same =
            vanished ? Same(calls, candidate.after.calls) : Same(candidate.before.calls, calls);
        if (const double ratio = RatioOfCallers(function); !same && ratio != 0) {
          same = vanished ? NearlySame(PerBefore(calls.sum) * ratio, PerAfter(candidate.after.calls.sum))
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
    shifts_[function].Clear();
    shifts_[function].set_kind(kind);
    for (const uint32_t other : with) shifts_[function].add_with(target_.functions[other].name);
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
    std::vector<uint32_t> by;
    for (const ArcPair* arc : callers_[i]) {
      if (Same(arc->before, arc->after)) continue;
      if ((PerAfter(*arc) < PerBefore(*arc)) != is_less) return;
      if (SteadyCaller(*arc) == nullptr || !InlinesOtherwise(arc->caller, i, is_less)) return;
      by.push_back(arc->caller);
    }
    if (by.empty()) return;
    std::vector<uint32_t> together = by;
    together.push_back(i);
    if (NoSlower(together)) Note(i, is_less ? v1::Shift::INLINED : v1::Shift::OUTLINED, by);
  }

  // Whether the caller shows that it inlines calls of the function that it did not before (`more`),
  // or the other way round.
  bool InlinesOtherwise(uint32_t caller, uint32_t function, bool more) const {
    const FunctionPair& pair = target_.functions[function];
    const FunctionPair& by = target_.functions[caller];
    const FunctionSide& inlining = more ? pair.after : pair.before;
    if (inlining.toolchain.empty() || !inlining.may_be_inlined) return false;
    if (by.before.size == 0 || by.after.size == 0) return false;
    bool calls_nothing = true;
    for (const ArcPair* own : callees_[function]) {
      calls_nothing = false;
      for (const ArcPair* arc : callees_[caller]) {
        if (arc->callee == own->callee && (PerAfter(*arc) > PerBefore(*arc)) == more &&
            !Same(arc->before, arc->after)) {
          return true;
        }
      }
    }
    return calls_nothing && (more ? by.after.size > by.before.size : by.after.size < by.before.size);
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
        if (!gone && !Calls(giver, function)) continue;
        if (std::find(givers.begin(), givers.end(), giver) == givers.end()) {
          givers.push_back(giver);
        }
      }
    }
    return givers;
  }

  // On any side.
  bool Calls(uint32_t caller, uint32_t callee) const {
    return std::any_of(callers_[callee].begin(), callers_[callee].end(),
                       [&](const ArcPair* arc) { return arc->caller == caller; });
  }

  // The callers of the new function that shrank, if all together lost about as much
  // code as it has.
  std::vector<uint32_t> GiversOfCode(uint32_t function) const {
    const uint64_t size = target_.functions[function].after.size;
    uint64_t was = 0, is = 0;
    std::vector<uint32_t> givers;
    for (const ArcPair* arc : callers_[function]) {
      const FunctionPair* const caller = CallerThatStayed(*arc);
      if (caller == nullptr || caller->before.size == 0 || caller->after.size == 0) continue;
      was += caller->before.size;
      is += caller->after.size;
      if (caller->after.size < caller->before.size) givers.push_back(arc->caller);
    }
    const bool gave =
        size > 0 && was > is && (was - is >= size / 2 || is + size <= was + kOwnFunction);
    return gave ? givers : std::vector<uint32_t>();
  }

  // The function of the new one's file that shrank by a quarter or more, and was as
  // large as the new one is.
  std::vector<uint32_t> LeftAsStubs(uint32_t function) const {
    const FunctionSide& made = target_.functions[function].after;
    std::vector<uint32_t> stubs;
    if (made.size == 0 || made.file.empty()) return stubs;
    for (uint32_t i = 0; i < target_.functions.size(); ++i) {
      const FunctionPair& other = target_.functions[i];
      if (!other.before.present() || other.before.file != made.file) continue;
      const bool shrank =
          other.after.present() && other.after.size <= other.before.size - other.before.size / 4;
      const uint64_t larger = std::max(other.before.size, made.size);
      const uint64_t difference = larger - std::min(other.before.size, made.size);
      if (shrank && difference <= larger / 20) stubs.push_back(i);
    }
    if (stubs.size() > 1) stubs.clear();
    return stubs;
  }

  const MatchedTarget& target_;
  std::vector<std::vector<const ArcPair*>> callers_;  // by callee
  std::vector<std::vector<const ArcPair*>> callees_;  // by caller
  std::vector<const ArcPair*> of_nobody_;
  CostShifts shifts_;
};

}  // namespace

bool MovesCalls(const v1::Shift& shift) {
  return shift.kind() == v1::Shift::INLINED || shift.kind() == v1::Shift::OUTLINED ||
         shift.kind() == v1::Shift::SPLIT;
}

CostShifts FindCostShifts(const MatchedTarget& target) { return Finder(target).Run(); }

}  // namespace gprofhub::reporter
