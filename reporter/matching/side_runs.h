// The runs of one side of a comparison, and which function of the matched target each of their rows
// is.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "profile/computed.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// Row of a profile → index into MatchedTarget::functions.
using RowMap = std::vector<uint32_t>;

struct SideRuns {
  absl::Span<const profile::ComputedProfile> profiles;
  std::vector<RowMap> rows;  // by run
};

// The half of the pair that belongs to the head (`after`) or to the base.
FunctionSide& SideOf(FunctionPair& pair, bool after);

// Whether a function calls its own clone there: that is no call of the program's.
bool IsWithinFamily(const profile::ComputedProfile& profile, const RowMap& rows,
                    const profile::ArcCost& arc);

// Executions of the run; 1 where the profile does not say.
uint64_t RepetitionsOf(const profile::ComputedProfile& profile);
uint64_t RepetitionsOf(absl::Span<const profile::ComputedProfile> profiles);

// Adds what one run counted to a sum over runs. `sum` is the run's, over `repetitions` executions.
// `all_before` counts the executions of the side's runs that were added before.
void AddRun(uint64_t sum, uint64_t repetitions, uint64_t all_before, Count& count);

}  // namespace gprofhub::reporter
