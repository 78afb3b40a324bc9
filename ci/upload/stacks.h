// Stacks that perf sampled in production, as text, made ready to be sent.
#pragma once

#include "absl/status/status.h"
#include "ci/upload/images/image_bundles.h"
#include "ci/upload/results/profile_files.h"

namespace gprofhub::ci {

// Puts in the place of the profile's text what the collector takes: the stacks with
// their names resolved to functions of `image` (profile/codec/stacks.h). Names of
// other code stay here. Errors as ParseSampledStacks, ResolveStacks and DecodeStacks
// (too large for the server); INVALID_ARGUMENT if most functions begin elsewhere in the
// image than perf says.
absl::Status PackStacks(ProfileFile& profile, const Image& image);

}  // namespace gprofhub::ci
