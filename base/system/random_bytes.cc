#include "base/system/random_bytes.h"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::base {

absl::StatusOr<std::string> RandomBytes(size_t count) {
  std::string bytes(count, '\0');
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return absl::InternalError(
        absl::StrCat("the kernel gave no random numbers: ", std::strerror(errno)));
  }
  return bytes;
}

}  // namespace gprofhub::base
