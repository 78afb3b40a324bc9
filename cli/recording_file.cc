#include "cli/recording_file.h"

#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace gprofhub {

absl::StatusOr<Recording> ReadRecordingFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  if (!file) return absl::NotFoundError(absl::StrCat(path, " cannot be read"));
  return ReadRecording(bytes.str(), path);
}

}  // namespace gprofhub
