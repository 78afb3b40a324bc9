// How the cost of functions moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "base/grouped.h"
#include "proto/findings.pb.h"
#include "reporter/comparison/pair_call_sites.h"

namespace gprofhub::reporter {

// Call graph of both sides of a matched target, with counts and times: the evidence for cost
// shifts.

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
  double PerBefore(uint64_t sum) const { return target_.PerBefore(sum); }
  double PerAfter(uint64_t sum) const { return target_.PerAfter(sum); }
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

// Disjoint sets of functions.

// Each function is in exactly one group, initially alone. Functions are indices into the target.
class FunctionGroups {
 public:
  explicit FunctionGroups(size_t functions);

  // Merges the groups of both functions.
  void Join(uint32_t a, uint32_t b);

  // The id of the function's group.
  uint32_t GroupOf(uint32_t function) const { return group_of_[function]; }
  absl::Span<const uint32_t> Members(uint32_t group) const { return members_[group]; }

 private:
  std::vector<uint32_t> group_of_;
  // By group. Nearly all have one member.
  std::vector<absl::InlinedVector<uint32_t, 4>> members_;
};

// By function of the matched target: how its cost moved; unspecified kind if it did not.
using CostShifts = std::vector<v1::Shift>;

// Whether its kind changes which functions are called: INLINED, OUTLINED, SPLIT.
inline bool MovesCalls(const v1::Shift& shift) {
  return shift.kind() == v1::Shift::INLINED || shift.kind() == v1::Shift::OUTLINED ||
         shift.kind() == v1::Shift::SPLIT;
}

// Which functions only moved: were renamed, inlined into their callers, outlined from them, split
// and merged. The essay is in cost_shifts.cc.
CostShifts FindCostShifts(const MatchedTarget& target);

// The judged calls of one target.
struct TargetCalls {
  const MatchedTarget* target = nullptr;
  std::vector<v1::Finding>* findings = nullptr;
};

// A function whose work moved to others in one target, by a change of the source, did so in all
// targets: where it vanished and one of these others runs, it is SHIFTED, too. In a target with few
// calls the counts alone would not show it.
void ShiftInAllTargets(const std::vector<TargetCalls>& targets);

// Restores the counts of functions that one side inlines into a caller and the other side calls:
// afterwards both sides count as if neither inlined them, and a change of the work in the group is
// on the arc where it began. Restored counts have Count::restored set. A function whose counts do
// not repeat, or cannot be divided exactly, stays as it is. What was inlined is read from the debug
// information (FunctionSide::inlined). The essay is in inlined_calls.cc.
void RestoreInlinedCalls(MatchedTarget& target);

// The same for functions that were inlined, outlined, split or merged by hand while the work
// changed. The essay is in replaced_calls.cc.
void RestoreReplacedCalls(MatchedTarget& target);

// For both of these: the target's arcs while counts are restored.

// New arcs are behind the sorted ones until Sort.
class RestoredArcs {
 public:
  explicit RestoredArcs(MatchedTarget& target);

  // Indices into the target's arcs, new ones included.
  absl::Span<const size_t> OutOf(uint32_t function) const;
  absl::Span<const size_t> Into(uint32_t function) const;

  // The arc; Find: the number of arcs if there is none. Between makes it, which invalidates
  // references to arcs.
  size_t Find(uint32_t caller, uint32_t callee) const;
  ArcPair& Between(uint32_t caller, uint32_t callee);

  // Sorts the arcs, without those that lost all calls on both sides, and finds them anew.
  void Sort();

 private:
  using ByFunction = absl::flat_hash_map<uint32_t, std::vector<size_t>>;

  void Index();
  void IndexArc(size_t arc);

  MatchedTarget& target_;
  ByFunction out_of_, into_;
};

// a · b / c, if it is a whole number.
std::optional<uint64_t> Scaled(uint64_t a, uint64_t b, uint64_t c);

// Adds restored calls, over all runs of the side, to a count.
void AddRestored(const MatchedTarget& target, uint64_t calls, bool at_head, Count& count);

// Adds sites of one side to the arc, and pairs its sites anew. Lines of the head are `shift` below
// those of the base.
void PairRestoredSites(const MatchedTarget& target, const std::vector<CallSitePair>& restored,
                       int64_t shift, ArcPair& arc);

// Shifts found so far: one explains others.

struct KnownShifts {
  // Keeps a reference to the target.
  explicit KnownShifts(const MatchedTarget& target);

  // Whether the function's calls are known to have moved.
  bool Moves(uint32_t function) const { return MovesCalls(shifts[function]); }

  // Whether calls of `callee` were inlined into `into`, or into a member of its group, on a side.
  bool Inlines(uint32_t into, uint32_t callee, bool at_head) const;
  bool InlinedInto(uint32_t group, uint32_t callee, bool at_head) const;
  // Whether the group inlines it on this side, and not on the other.
  bool InlinedOtherwise(uint32_t group, uint32_t callee, bool at_head) const;

  // Whether the functions together did not become slower, or otherwise all functions among which
  // work moved.
  bool NoSlower(const std::vector<uint32_t>& functions) const;

  void Note(uint32_t function, v1::Shift::Kind kind, const std::vector<uint32_t>& with);

  CallPattern pattern;
  // A function of one side only shares the work of the functions that it moved from or to: calls
  // from any of them are the group's.
  FunctionGroups groups;
  // Functions among which calls moved.
  FunctionGroups moved;
  CostShifts shifts;
};

// Origins of a function of one side only, by calls and sizes.

// Functions of the other side that `function` was made from, or became: called as often, by a
// common caller. A function that was inlined into the other was outlined from it.
std::vector<uint32_t> Counterparts(const KnownShifts& known, uint32_t function);

// Origins of a function that only the head has.
struct Givers {
  // Functions that vanished, or from which all of its work came.
  std::vector<uint32_t> whole;
  // Callers or siblings that it was outlined from.
  std::vector<uint32_t> parts;
};

// The first of these that is not empty:
// - functions that call its callees, or what it inlines, less often than before: its callers, and
//   vanished functions;
// - callers that shrank, if together they lost about as much code as it has;
// - siblings that may tail-call it, and shrank by as much;
// - the function of its file that shrank by a quarter or more, and was as large as it is.
Givers GiversOf(const KnownShifts& known, uint32_t function);

}  // namespace gprofhub::reporter
