// The runs of one side of a comparison. Each of their rows is one function of the matched target.
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

// What an arc of a run is, where a function stands for its clones, too.
enum class ArcKind : uint8_t {
  // One of the program's.
  kCall,
  // A function's call of its own clone. The compiler made it; the program has none there.
  kWithinFamily,
  // Counted a second time, as a call of a clone that the function it calls jumps to. A call
  // instruction calls one function; a jump leaves its return address on the stack. Of the arcs from
  // one place to one function's clones the one with the most calls counts.
  kJump,
  // Microseconds, not calls: they are never the same twice, so no comparison of counts is for them.
  kMeasured,
};

// By arc. Rows of one function are of one function, whichever number it has.
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

// The half of the pair that belongs to the head (`after`) or to the base.
FunctionSide& SideOf(FunctionPair& pair, bool after);

// Executions of the run; 1 where the profile does not say.
uint64_t RepetitionsOf(const profile::ComputedProfile& profile);
uint64_t RepetitionsOf(absl::Span<const profile::ComputedProfile> profiles);

// Adds the count of one run to the sum over runs. The run counted `sum` in `repetitions`
// executions. The runs that were added before had `all_before` executions.
void AddRun(uint64_t sum, uint64_t repetitions, uint64_t all_before, Count& count);

}  // namespace gprofhub::reporter
