// Call graph of both sides of a matched target, with counts and times: the evidence for cost
// shifts.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/memory/grouped.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// Compares counts per execution or per call, up to rounding by their division.
bool NearlySame(double a, double b);

// Queries by function index. Keeps a reference to the target.
class CallPattern {
 public:
  using Arcs = absl::Span<const ArcPair* const>;

  explicit CallPattern(const MatchedTarget& target);

  const MatchedTarget& target() const { return target_; }
  const FunctionPair& Function(uint32_t function) const { return target_.functions[function]; }
  // Without recursive calls. A caller may be kSpontaneous.
  Arcs Callers(uint32_t function) const { return callers_[function]; }
  Arcs Callees(uint32_t function) const { return callees_[function]; }

  // Calls per execution.
  double PerBefore(uint64_t sum) const;
  double PerAfter(uint64_t sum) const;
  double PerBefore(const ArcPair& arc) const { return PerBefore(arc.before.sum); }
  double PerAfter(const ArcPair& arc) const { return PerAfter(arc.after.sum); }
  // On one side.
  double Per(const ArcPair& arc, bool at_head) const;

  bool Same(const Count& before, const Count& after) const;

  // On either side.
  bool Calls(uint32_t caller, uint32_t callee) const;

  // The caller of `arc` if it is the same function on both sides; otherwise nullptr.
  const FunctionPair* CallerThatStayed(const ArcPair& arc) const;
  // The same, if it is also called as often.
  const FunctionPair* SteadyCaller(const ArcPair& arc) const;

  // Ratio by which the calls of the function's callers changed; 0 if they are not the same on both
  // sides, or have different ratios.
  double RatioOfCallers(uint32_t function) const;

  // Whether `caller` calls one of `function`'s callees of the base more often.
  bool TookOverCalls(uint32_t caller, uint32_t function) const;

  // Whether calls of it are known to be inlined at the head (`after`), or at the base.
  bool InlinesCallsOf(uint32_t function, bool after) const;

  // Whether the functions together take no more of the target's samples than before, within
  // sampling error.
  bool NoSlower(absl::Span<const uint32_t> functions) const;

  // Whether these, which include `functions`, compensate for the additional time: all together take
  // no more than before, relative to the time of `functions`.
  bool MakeUpFor(absl::Span<const uint32_t> functions, absl::Span<const uint32_t> these) const;

  // Whether the caller and the vanished function together take significantly less.
  bool Faster(uint32_t vanished, uint32_t caller) const;

 private:
  const MatchedTarget& target_;
  base::Grouped<const ArcPair*> callers_;  // by callee
  base::Grouped<const ArcPair*> callees_;  // by caller
};

}  // namespace gprofhub::reporter
