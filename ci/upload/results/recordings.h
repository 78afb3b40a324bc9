// Prepares the runtime's recordings among a test's outputs for sending.
#pragma once

#include "absl/status/status.h"
#include "base/decoding/decoding.h"
#include "ci/upload/results/profile_files.h"

namespace gprofhub::ci {

// Packs each recording (profile/codec/recording.h) in `found`, with the images it has data of, and
// drops the gmon file that its process wrote at an orderly exit: the recording is a superset. The
// recording of a program without a build-id becomes the gmon file of the program alone. A recording
// of a process that was killed before its first call was counted is dropped. An unreadable
// recording, or one too large for the server, becomes a problem, and its gmon file stays. Decoding
// memory is released to `decoding`. On an error of `decoding`, which is returned, `found` is
// unchanged.
absl::Status PackRecordings(FoundProfiles& found, const base::Decoding& decoding = {});

}  // namespace gprofhub::ci
