// Whether a profile fits its image.
#pragma once

#include "absl/status/status.h"
#include "base/decoding/decoding.h"
#include "ci/upload/results/profile_files.h"
#include "profile/symbols.h"

namespace gprofhub::ci {

// What the server would find out too, but then refuse the whole execution for. The errors
// name the profile's origin: DATA_LOSS if it is empty, FAILED_PRECONDITION if the recording
// has nothing of the image, else those of ReadGmon, UnpackRecording and CheckBelongs.
// What reading it takes is given back to `decoding`, whose errors come, too.
absl::Status CheckProfile(const ProfileFile& profile, const profile::SymbolTable& image,
                          const base::Decoding& decoding = {});

}  // namespace gprofhub::ci
