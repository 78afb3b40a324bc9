// The runs of one side of a comparison, with the mapping of their rows to the matched target's
// functions.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "profile/computed.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// Row of a profile → index into MatchedTarget::functions.
using RowMap = std::vector<uint32_t>;

// Kind of an arc of a run, after clones are merged with their function.
enum class ArcKind : uint8_t {
  // A call of the program.
  kCall,
  // A function's call of its own clone, which the compiler created.
  kWithinFamily,
  // Counted twice: also as a call of a clone that the callee jumps to. A call instruction calls one
  // function; a jump keeps its return address on the stack. Of the arcs from one call site to one
  // function's clones, the one with the most calls counts.
  kJump,
  // Microseconds, not calls: they never repeat, so they are not compared as counts.
  kMeasured,
};

// By arc. `rows` must map all rows of a function to one number, whichever it is.
std::vector<ArcKind> KindsOfArcs(const profile::ComputedProfile& profile, const RowMap& rows);

struct SideRuns {
  absl::Span<const profile::ComputedProfile> profiles;
  std::vector<RowMap> rows = {};                 // by run
  std::vector<std::vector<ArcKind>> kinds = {};  // by run: of its arcs

  // The rows of the next profile.
  void Add(RowMap rows_of_run) {
    kinds.push_back(KindsOfArcs(profiles[rows.size()], rows_of_run));
    rows.push_back(std::move(rows_of_run));
  }
};

// The pair's head side (`after`) or base side.
FunctionSide& SideOf(FunctionPair& pair, bool after);

// Executions of the run; 1 if the profile does not have the number.
uint64_t RepetitionsOf(const profile::ComputedProfile& profile);
uint64_t RepetitionsOf(absl::Span<const profile::ComputedProfile> profiles);

// Adds the count of one run to the sum over runs. The run counted `sum` in `repetitions`
// executions; the runs added before had `all_before` executions.
void AddRun(uint64_t sum, uint64_t repetitions, uint64_t all_before, Count& count);

}  // namespace gprofhub::reporter
