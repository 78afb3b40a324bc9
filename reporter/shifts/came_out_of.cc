#include "reporter/shifts/came_out_of.h"

#include <algorithm>

namespace gprofhub::reporter {
namespace {

// Code size overhead of a separate function, in bytes: prologue and epilogue, the profiling call,
// and the call of it.
constexpr uint64_t kOwnFunction = 40;

void AddOnce(uint32_t function, std::vector<uint32_t>& list) {
  if (std::find(list.begin(), list.end(), function) == list.end()) list.push_back(function);
}

// Whether `caller` may tail-call the new function: a tail call is a jump, so it is counted as a
// call from `caller`'s caller, or from where `caller` is inlined now.
bool MayEndInCallsOf(const KnownShifts& known, uint32_t caller, uint32_t function) {
  const CallPattern& pattern = known.pattern;
  const CallPattern::Arcs entries = pattern.Callers(caller);
  const auto is_counted_there = [&](const ArcPair* arc) {
    return std::any_of(entries.begin(), entries.end(), [&](const ArcPair* into) {
      if (into->caller != arc->caller || into->caller == kSpontaneous) return false;
      if (into->after.sum >= arc->after.sum) return true;
      return pattern.PerBefore(*into) >= pattern.PerAfter(*arc) &&
             known.InlinedOtherwise(known.groups.GroupOf(into->caller), caller, true);
    });
  };
  const CallPattern::Arcs callers = pattern.Callers(function);
  return std::all_of(callers.begin(), callers.end(), is_counted_there);
}

// Empty if it calls something new.
std::vector<uint32_t> GiversOfCalls(const KnownShifts& known, uint32_t function) {
  const CallPattern& pattern = known.pattern;
  std::vector<uint32_t> givers;
  for (const ArcPair* taken : pattern.Callees(function)) {
    if (taken->after.sum == 0) continue;
    if (!pattern.Function(taken->callee).before.present()) return {};
    for (const ArcPair* given : pattern.Callers(taken->callee)) {
      const uint32_t giver = given->caller;
      if (giver == kSpontaneous || giver == function) continue;
      if (pattern.PerAfter(*given) >= pattern.PerBefore(*given)) continue;
      const bool gone = !pattern.Function(giver).after.present();
      if (gone || pattern.Calls(giver, function) || MayEndInCallsOf(known, giver, function)) {
        AddOnce(giver, givers);
      }
    }
  }
  return givers;
}

std::vector<uint32_t> GiversOfTheirEnd(const KnownShifts& known, uint32_t function) {
  const CallPattern& pattern = known.pattern;
  const uint64_t size = pattern.Function(function).after.size;
  std::vector<uint32_t> givers;
  if (size == 0 || pattern.Callers(function).empty()) return givers;
  const uint32_t caller = pattern.Callers(function).front()->caller;
  if (caller == kSpontaneous) return givers;
  for (const ArcPair* arc : pattern.Callees(caller)) {
    const FunctionPair& giver = pattern.Function(arc->callee);
    if (arc->callee == function || giver.before.size <= giver.after.size) continue;
    if (giver.after.size == 0 || !MayEndInCallsOf(known, arc->callee, function)) continue;
    if (giver.after.size + size <= giver.before.size + 2 * kOwnFunction) {
      givers.push_back(arc->callee);
    }
  }
  return givers;
}

std::vector<uint32_t> GiversOfCode(const CallPattern& pattern, uint32_t function) {
  const uint64_t size = pattern.Function(function).after.size;
  uint64_t was = 0, is = 0;
  std::vector<uint32_t> givers;
  for (const ArcPair* arc : pattern.Callers(function)) {
    const FunctionPair* const caller = pattern.CallerThatStayed(*arc);
    if (caller == nullptr || caller->before.size == 0 || caller->after.size == 0) continue;
    was += caller->before.size;
    is += caller->after.size;
    if (caller->after.size < caller->before.size) givers.push_back(arc->caller);
  }
  const bool gave =
      size > 0 && was > is && (was - is >= size / 2 || is + size <= was + kOwnFunction);
  return gave ? givers : std::vector<uint32_t>();
}

std::vector<uint32_t> LeftAsStubs(const MatchedTarget& target, uint32_t function) {
  const FunctionSide& made = target.functions[function].after;
  std::vector<uint32_t> stubs;
  if (made.size == 0 || made.file.empty()) return stubs;
  for (uint32_t i = 0; i < target.functions.size(); ++i) {
    const FunctionPair& other = target.functions[i];
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

}  // namespace

std::vector<uint32_t> Counterparts(const KnownShifts& known, uint32_t function) {
  const CallPattern& pattern = known.pattern;
  const bool vanished = pattern.Function(function).before.present();
  const double ratio = pattern.RatioOfCallers(function);
  std::vector<uint32_t> found;
  for (const ArcPair* arc : pattern.Callers(function)) {
    if (arc->caller == kSpontaneous) continue;
    for (const ArcPair* other : pattern.Callees(arc->caller)) {
      const uint32_t was = vanished ? function : other->callee;
      const uint32_t is = vanished ? other->callee : function;
      const FunctionPair& old = pattern.Function(was);
      const FunctionPair& made = pattern.Function(is);
      if (!old.before.present() || old.after.present()) continue;
      if (made.before.present() || !made.after.present()) continue;
      if (pattern.Function(other->callee).is_module) continue;
      // A function outlined from it is not its successor.
      if (known.Inlines(was, is, false)) continue;
      const double before = pattern.PerBefore(old.before.calls.sum);
      const double after = pattern.PerAfter(made.after.calls.sum);
      if (pattern.Same(old.before.calls, made.after.calls) ||
          (ratio != 0 && NearlySame(before * ratio, after))) {
        AddOnce(other->callee, found);
      }
    }
  }
  return found;
}

Givers GiversOf(const KnownShifts& known, uint32_t function) {
  Givers givers;
  for (const uint32_t giver : GiversOfCalls(known, function)) {
    const bool gone = !known.pattern.Function(giver).after.present();
    (gone ? givers.whole : givers.parts).push_back(giver);
  }
  if (givers.whole.empty() && givers.parts.empty()) {
    givers.parts = GiversOfCode(known.pattern, function);
  }
  if (givers.whole.empty() && givers.parts.empty()) {
    givers.parts = GiversOfTheirEnd(known, function);
  }
  if (givers.whole.empty() && givers.parts.empty()) {
    givers.whole = LeftAsStubs(known.pattern.target(), function);
  }
  return givers;
}

}  // namespace gprofhub::reporter
