#include "cli/recording_file.h"

#include "profile/read_file.h"

namespace gprofhub {

absl::StatusOr<Recording> ReadRecordingFile(const std::string& path) {
  const absl::StatusOr<std::string> bytes = ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  return ReadRecording(*bytes, path);
}

}  // namespace gprofhub
