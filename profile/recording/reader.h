// Reads the runtime's recordings (profile/format/recording.h), which are untrusted. The recording
// of a killed or a running process is read like any other.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_budget.h"
#include "profile/recording/chunks.h"

namespace gprofhub::profile {

// True if the bytes begin like a recording.
bool IsRecording(absl::string_view bytes);

// Parses a whole file. `file_name` is only for messages. InvalidArgument: not a recording, another
// version or byte order. DataLoss: the file is cut off or contains something impossible. Memory is
// at most about ten times the size of `bytes`, plus 256 MiB of histogram. It is reserved from
// `decoding` before it is allocated, by the used slots of the tables, not the free ones. A fourth
// of it is left there for the recording.
absl::StatusOr<Recording> ReadRecording(absl::string_view bytes, absl::string_view file_name,
                                        const base::Decoding& decoding = {});

}  // namespace gprofhub::profile
