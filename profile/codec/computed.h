// The stored and sent form of a computed profile (proto/computed.proto),
// zstd-compressed.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/decoding/decoding.h"
#include "profile/computed.h"

namespace gprofhub::profile {

// The same profile always gives the same bytes.
std::string EncodeComputedProfile(const ComputedProfile& profile);

// InvalidArgument or DataLoss name the field (and row) that is wrong. In what
// is returned every index is in range, every number finite, sample_rate not
// negative and repetitions at least 1. What it takes is left with `decoding`, whose errors come,
// too.
absl::StatusOr<ComputedProfile> DecodeComputedProfile(absl::string_view bytes,
                                                      const base::Decoding& decoding = {});

// What its rows and texts take, about: DecodeComputedProfile leaves so much with its decoding.
uint64_t MemoryOf(const ComputedProfile& profile);

}  // namespace gprofhub::profile
