// Who calls whom on both sides of a matched target, how often, and how long it takes: what cost
// shifts are recognised by.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/memory/grouped.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// Counts per execution and per call, as far as they were divided.
bool NearlySame(double a, double b);

// Asks about functions by their index. The target outlives it.
class CallPattern {
 public:
  using Arcs = absl::Span<const ArcPair* const>;

  explicit CallPattern(const MatchedTarget& target);

  const MatchedTarget& target() const { return target_; }
  const FunctionPair& Function(uint32_t function) const { return target_.functions[function]; }
  // Without calls of itself. A caller may be kSpontaneous.
  Arcs Callers(uint32_t function) const { return callers_[function]; }
  Arcs Callees(uint32_t function) const { return callees_[function]; }

  // Calls in one execution.
  double PerBefore(uint64_t sum) const;
  double PerAfter(uint64_t sum) const;
  double PerBefore(const ArcPair& arc) const { return PerBefore(arc.before.sum); }
  double PerAfter(const ArcPair& arc) const { return PerAfter(arc.after.sum); }
  // On one side.
  double Per(const ArcPair& arc, bool at_head) const;

  bool Same(const Count& before, const Count& after) const;

  // On any side.
  bool Calls(uint32_t caller, uint32_t callee) const;

  // A caller of `arc` that is the same function on both sides; nullptr: it is none.
  const FunctionPair* CallerThatStayed(const ArcPair& arc) const;
  // One that is called as often, too.
  const FunctionPair* SteadyCaller(const ArcPair& arc) const;

  // How many times as often the function's callers are called; 0: they are not all the same on both
  // sides, or differ in it.
  double RatioOfCallers(uint32_t function) const;

  // Whether `caller` calls something that `function` called as much more often.
  bool TookOverCalls(uint32_t caller, uint32_t function) const;

  // Whether calls of it are inlined at the head (`after`), or at the base, as far as is known.
  bool InlinesCallsOf(uint32_t function, bool after) const;

  // Whether the functions together take no more of the target's samples than before, as far as
  // their number can tell.
  bool NoSlower(absl::Span<const uint32_t> functions) const;

  // Whether these, `functions` among them, make up for what they take more: all together take no
  // more than before, next to what the functions take.
  bool MakeUpFor(absl::Span<const uint32_t> functions, absl::Span<const uint32_t> these) const;

  // Whether the caller and what vanished together take noticeably less.
  bool Faster(uint32_t vanished, uint32_t caller) const;

 private:
  const MatchedTarget& target_;
  base::Grouped<const ArcPair*> callers_;  // by callee
  base::Grouped<const ArcPair*> callees_;  // by caller
};

}  // namespace gprofhub::reporter
