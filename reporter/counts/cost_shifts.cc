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
#include "reporter/counts/cost_shifts.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "reporter/matching/same_ratio.h"

namespace gprofhub::reporter {
namespace {

// From so many samples on times have a say.
constexpr double kEnoughSamples = 50;

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
    return std::move(shifts_);
  }

 private:
  std::vector<const ArcPair*>& callees_of(uint32_t function) {
    return function == kSpontaneous ? of_nobody_ : callees_[function];
  }

  bool Same(const Count& before, const Count& after) const {
    return SameRatio(before.sum, target_.repetitions_before, after.sum, target_.repetitions_after);
  }

  // Whether nothing that it called (or calls) is called more often, or less.
  bool WorkIsConserved(uint32_t function) const {
    for (const ArcPair* arc : callees_[function]) {
      const FunctionPair& callee = target_.functions[arc->callee];
      // A function that came or went with this one is judged by its own callees.
      if (callee.before.present() != callee.after.present()) continue;
      if (!Same(callee.before.calls, callee.after.calls)) return false;
    }
    return true;
  }

  // A caller of `arc` that is the same function on both sides, called as often.
  const FunctionPair* SteadyCaller(const ArcPair& arc) const {
    if (arc.caller == kSpontaneous) return nullptr;
    const FunctionPair& caller = target_.functions[arc.caller];
    if (!caller.before.present() || !caller.after.present()) return nullptr;
    return Same(caller.before.calls, caller.after.calls) ? &caller : nullptr;
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

  double PerBefore(const ArcPair& arc) const {
    return static_cast<double>(arc.before.sum) / static_cast<double>(target_.repetitions_before);
  }
  double PerAfter(const ArcPair& arc) const {
    return static_cast<double>(arc.after.sum) / static_cast<double>(target_.repetitions_after);
  }

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
        const bool same =
            vanished ? Same(calls, candidate.after.calls) : Same(candidate.before.calls, calls);
        if (same && std::find(found.begin(), found.end(), other->callee) == found.end()) {
          found.push_back(other->callee);
        }
      }
    }
    return found;
  }

  void Note(uint32_t function, v1::Shift::Kind kind, const std::vector<uint32_t>& with) {
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
      const FunctionPair* const caller = SteadyCaller(*arc);
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

  bool Calls(uint32_t caller, uint32_t callee) const {
    for (const ArcPair* arc : callers_[callee]) {
      if (arc->caller == caller && arc->after.sum != 0) return true;
    }
    return false;
  }

  // The callers of the new function that shrank, if all together lost about as much
  // code as it has.
  std::vector<uint32_t> GiversOfCode(uint32_t function) const {
    const uint64_t size = target_.functions[function].after.size;
    uint64_t was = 0, is = 0;
    std::vector<uint32_t> givers;
    for (const ArcPair* arc : callers_[function]) {
      const FunctionPair* const caller = SteadyCaller(*arc);
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
