// Reads a whole file, as GNU gprof does.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "base/read_file.h"

namespace gprofhub::cli {

// As ReadFileInto, but reads a directory as an empty file, as GNU gprof does.
inline absl::Status ReadAsGnuGprof(const std::string& path, std::string& content) {
  absl::Status status = base::ReadFileInto(path, content);
  if (!absl::IsFailedPrecondition(status)) return status;
  content.clear();
  return absl::OkStatus();
}

}  // namespace gprofhub::cli
