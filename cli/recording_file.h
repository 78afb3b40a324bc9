// Recordings named on a command line.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "profile/recording_reader.h"

namespace gprofhub {

// Reads and parses one recording. NotFound: the file cannot be read; otherwise
// ReadRecording's errors.
absl::StatusOr<Recording> ReadRecordingFile(const std::string& path);

}  // namespace gprofhub
