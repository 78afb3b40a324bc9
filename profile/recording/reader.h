// Reads the runtime's recordings (profile/recording/format.h). The bytes are taken to be
// hostile. A file whose process was killed reads like any other, and so does one whose
// process still runs.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/decoding/decoding.h"
#include "profile/recording/recording.h"

namespace gprofhub::profile {

// True if the bytes begin like a recording.
bool IsRecording(absl::string_view bytes);

// Parses a whole file. `file_name` is only for messages. InvalidArgument: not a
// recording, another version or byte order. DataLoss: the file is cut or holds
// something impossible. Memory stays within about ten times the size of `bytes`,
// plus 256 MiB of histogram at most. It is taken of `decoding` before it is allocated: what the
// used slots of the tables need, not the free ones. A fourth of it is left there for the recording.
absl::StatusOr<Recording> ReadRecording(absl::string_view bytes, absl::string_view file_name,
                                        const base::Decoding& decoding = {});

}  // namespace gprofhub::profile
