#include "cli/output/write_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace gprofhub::cli {

absl::Status WriteFile(const std::string& path, absl::string_view bytes) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      path, " cannot be written", errno == 0 ? "" : ": ", errno == 0 ? "" : std::strerror(errno)));
}

}  // namespace gprofhub::cli
