#include "reporter/shifts/conserved_work.h"

#include <algorithm>
#include <cmath>

namespace gprofhub::reporter {
namespace {

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

}  // namespace

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

}  // namespace gprofhub::reporter
