// The cost of one target in one run: the sum of its processes' profiles, per function and per call
// site, over all its modules.
#pragma once

#include <cstdint>

#include "analyzer/target/target_profile.h"
#include "profile/computed.h"

namespace gprofhub::analyzer {

struct ComputeOptions {
  uint32_t repetitions = 1;  // runs of the target in the sum
  uint32_t profiles = 0;     // processes in the sum
};

// Functions under SymbolPolicy::kExact, their time propagated through all
// modules; those without samples and calls are omitted. A module without symbols is one function.
// If stacks were recorded, inherited time is measured (measured_times.h).
//
// Profiles that were sampled at different rates are added as times. Samples and calls in no
// function, and samples in another dimension than most, become warnings.
profile::ComputedProfile ComputeProfile(const TargetProfile& target, const ComputeOptions& options);

}  // namespace gprofhub::analyzer
