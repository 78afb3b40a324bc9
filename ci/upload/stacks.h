// Converts stacks that perf sampled in production from text to the collector's format.
#pragma once

#include "absl/status/status.h"
#include "ci/upload/images/image_bundles.h"
#include "ci/upload/results/profile_files.h"

namespace gprofhub::ci {

// Replaces the profile's text with the collector's format: stacks with names resolved to functions
// of `image` (profile/codec/stacks.h). Names of other code are not sent. Errors as
// ParseSampledStacks, ResolveStacks and DecodeStacks (too large for the server); INVALID_ARGUMENT
// if the addresses of most functions differ between the image and perf's output.
absl::Status PackStacks(ProfileFile& profile, const Image& image);

}  // namespace gprofhub::ci
