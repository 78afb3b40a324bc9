// Recordings named on a command line.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "profile/recording/reader.h"

namespace gprofhub::cli {

// Reads and parses one recording. NotFound: the file cannot be read; otherwise
// ReadRecording's errors.
absl::StatusOr<profile::Recording> ReadRecordingFile(const std::string& path);

}  // namespace gprofhub::cli
