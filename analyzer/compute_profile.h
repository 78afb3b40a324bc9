// What one target cost in one run: the sum of its processes' profiles, per
// function and per call site, over all its images.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "profile/computed.h"
#include "profile/raw_profile.h"
#include "profile/symbols.h"

namespace gprofhub {

struct ImageProfile {
  const SymbolTable* symbols = nullptr;
  RawProfile data;
};

struct ComputeOptions {
  uint32_t repetitions = 1;  // runs of the target that the data is the sum of
  uint32_t profiles = 0;     // processes it is the sum of
};

// Functions under SymbolPolicy::kExact, their time propagated within each
// image; those without samples and calls are left out. The result does not
// depend on the order of the input.
//
// What lies in no function becomes a warning and, for samples,
// unattributed_samples. InvalidArgument: histograms of different rates or
// dimensions, or profiles of one image that do not add up.
absl::StatusOr<ComputedProfile> ComputeProfile(const std::vector<ImageProfile>& images,
                                               const ComputeOptions& options);

}  // namespace gprofhub
