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
// All this also holds in combination with a true change. If the callers themselves are called twice
// as often, everything below them is. So if counts differ from the base's, they are compared per
// call of the callers.
#include "reporter/shifts/cost_shifts.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "reporter/shifts/came_out_of.h"
#include "reporter/shifts/conserved_work.h"
#include "reporter/shifts/inlined_otherwise.h"
#include "reporter/shifts/known_shifts.h"

namespace gprofhub::reporter {
namespace {

// Maximum nesting of inlined functions that explain each other.
constexpr int kRounds = 8;

class Finder {
 public:
  explicit Finder(const MatchedTarget& target) : known_(target), pattern_(known_.pattern) {}

  CostShifts Run() {
    for (uint32_t i = 0; i < FunctionCount(); ++i) {
      const FunctionPair& function = pattern_.Function(i);
      if (!function.is_module && function.before.present() && function.after.present()) {
        NoteNewPlace(i);
      }
    }
    // An inlined function takes its calls with it, so one function explains others.
    size_t found = 0;
    for (int round = 0; round < kRounds; ++round) {
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
    if (!function.renamed_from.empty()) {
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
    if (!WorkIsConserved(known_, i)) return;
    if (const std::vector<uint32_t> became = Counterparts(known_, i); !became.empty()) {
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
    if (!WorkIsConserved(known_, i)) return;
    if (const std::vector<uint32_t> were = Counterparts(known_, i); !were.empty()) {
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

  void NoteUnlessSlower(uint32_t i, v1::Shift::Kind kind, const std::vector<uint32_t>& with) {
    std::vector<uint32_t> together = with;
    together.push_back(i);
    if (known_.NoSlower(together)) known_.Note(i, kind, with);
  }

  KnownShifts known_;
  const CallPattern& pattern_;
};

}  // namespace

CostShifts FindCostShifts(const MatchedTarget& target) { return Finder(target).Run(); }

}  // namespace gprofhub::reporter
