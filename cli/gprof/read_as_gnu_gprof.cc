#include "cli/gprof/read_as_gnu_gprof.h"

#include "base/read_file.h"

namespace gprofhub::cli {

absl::Status ReadAsGnuGprof(const std::string& path, std::string& content) {
  absl::Status status = base::ReadFileInto(path, content);
  if (!absl::IsFailedPrecondition(status)) return status;
  content.clear();
  return absl::OkStatus();
}

}  // namespace gprofhub::cli
