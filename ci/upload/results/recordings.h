// The runtime's recordings among a test's outputs, made ready to be sent.
#pragma once

#include "absl/status/status.h"
#include "base/decoding/decoding.h"
#include "ci/upload/results/profile_files.h"

namespace gprofhub::ci {

// Packs each recording (profile/codec/recording.h) in `found`, with the images it
// has data of, and drops the gmon file that its process left beside it at an
// orderly exit: the recording says the same and more. Of a program without a
// build-id it becomes the gmon file of the program alone. A recording of a process
// that was ended before its first call was counted is dropped. One that cannot be
// read, or would be too large for the server, becomes a problem, and its gmon file
// stays. What reading them takes is given back to `decoding`. Its errors end it, and are returned:
// then `found` is as it was.
absl::Status PackRecordings(FoundProfiles& found, const base::Decoding& decoding = {});

}  // namespace gprofhub::ci
