// The wire form of a recording: its file, zstd-compressed. It takes the place of
// a gmon.out where one is sent or stored, and says more.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/decoding/decoding.h"
#include "profile/recording/recording.h"

namespace gprofhub::profile {

// Of a recording's file of at most 64 MiB.
std::string PackRecording(absl::string_view file);

// True if the bytes begin as PackRecording's do. gmon.out never does.
bool IsPackedRecording(absl::string_view bytes);

// The recording, from anybody. `name` is only for messages. Errors as
// DecodeMessage (profile/codec/message.h) and ReadRecording; InvalidArgument if the file
// has more than 64 MiB. What it takes is left with `decoding`.
absl::StatusOr<Recording> UnpackRecording(absl::string_view bytes, absl::string_view name,
                                          const base::Decoding& decoding = {});

// The recording that a profile's bytes are, packed or as the runtime wrote it; none if they
// begin like neither. Errors as UnpackRecording and ReadRecording.
absl::StatusOr<std::optional<Recording>> ReadIfRecording(absl::string_view bytes,
                                                         absl::string_view name,
                                                         const base::Decoding& decoding = {});

}  // namespace gprofhub::profile
