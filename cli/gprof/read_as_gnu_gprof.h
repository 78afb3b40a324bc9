// Reading a whole file, as GNU gprof sees it.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "base/read_file.h"

namespace gprofhub::cli {

// As ReadFileInto. But to GNU gprof, a directory is a file without content.
inline absl::Status ReadAsGnuGprof(const std::string& path, std::string& content) {
  absl::Status status = base::ReadFileInto(path, content);
  if (!absl::IsFailedPrecondition(status)) return status;
  content.clear();
  return absl::OkStatus();
}

}  // namespace gprofhub::cli
