// The stored and sent form of a computed profile (proto/computed.proto),
// zstd-compressed.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/computed.h"

namespace gprofhub::profile {

// The same profile always gives the same bytes.
std::string EncodeComputedProfile(const ComputedProfile& profile);

// InvalidArgument or DataLoss name the field (and row) that is wrong. In what
// is returned every index is in range, every number finite, sample_rate not
// negative and repetitions at least 1.
absl::StatusOr<ComputedProfile> DecodeComputedProfile(absl::string_view bytes);

}  // namespace gprofhub::profile
