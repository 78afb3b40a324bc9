// Checks a profile against its image.
#pragma once

#include "absl/status/status.h"
#include "base/decoding/decoding.h"
#include "ci/upload/results/profile_files.h"
#include "profile/symbols.h"

namespace gprofhub::ci {

// Client-side check that avoids a refusal of the whole execution by the server. The errors name the
// profile's origin: DATA_LOSS if it is empty, FAILED_PRECONDITION if the recording has no data of
// the image, else those of ReadGmon, UnpackRecording and CheckBelongs. Decoding memory is released
// to `decoding`, whose errors are returned, too.
absl::Status CheckProfile(const ProfileFile& profile, const profile::SymbolTable& image,
                          const base::Decoding& decoding = {});

}  // namespace gprofhub::ci
