// The wire form of a recording: its file, zstd-compressed. It is uploaded and stored instead of a
// gmon.out, and contains more data.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/decoding/decoding.h"
#include "profile/recording/recording.h"

namespace gprofhub::profile {

// For a recording's file of at most 64 MiB.
std::string PackRecording(absl::string_view file);

// True if the bytes begin as PackRecording's do. gmon.out never does.
bool IsPackedRecording(absl::string_view bytes);

// Unpacks and reads an untrusted recording. `name` is only for messages. Errors as DecodeMessage
// (profile/codec/message.h) and ReadRecording; InvalidArgument if the file has more than 64 MiB.
// Its memory is left with `decoding`.
absl::StatusOr<Recording> UnpackRecording(absl::string_view bytes, absl::string_view name,
                                          const base::Decoding& decoding = {});

// Reads a profile's bytes as a recording, packed or as the runtime wrote it; nullopt if they begin
// like neither. Errors as UnpackRecording and ReadRecording.
absl::StatusOr<std::optional<Recording>> ReadIfRecording(absl::string_view bytes,
                                                         absl::string_view name,
                                                         const base::Decoding& decoding = {});

}  // namespace gprofhub::profile
