#include "cli/local/recording_file.h"

#include "base/read_file.h"

namespace gprofhub::cli {

absl::StatusOr<profile::Recording> ReadRecordingFile(const std::string& path) {
  const absl::StatusOr<std::string> bytes = base::ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  return profile::ReadRecording(*bytes, path);
}

}  // namespace gprofhub::cli
