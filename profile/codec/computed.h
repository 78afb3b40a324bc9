// The wire and storage form of a computed profile (proto/computed.proto), zstd-compressed.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_budget.h"
#include "profile/computed.h"

namespace gprofhub::profile {

// Deterministic.
std::string EncodeComputedProfile(const ComputedProfile& profile);

// InvalidArgument or DataLoss name the wrong field (and row). In the result every index is in
// range, every number finite, sample_rate not negative and repetitions at least 1. Its memory is
// left with `decoding`, whose errors are returned, too.
absl::StatusOr<ComputedProfile> DecodeComputedProfile(absl::string_view bytes,
                                                      const base::Decoding& decoding = {});

// Approximate memory of its rows and texts, which DecodeComputedProfile leaves with its decoding.
uint64_t MemoryOf(const ComputedProfile& profile);

}  // namespace gprofhub::profile
