#include "cli/serve/http/visits/random_name.h"

#include <sys/random.h>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"

namespace gprofhub::cli {

absl::StatusOr<std::string> RandomName() {
  std::string bytes(kRandomNameDigits / 2, '\0');
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return absl::InternalError("the kernel gives no random numbers");
  }
  return absl::BytesToHexString(bytes);
}

}  // namespace gprofhub::cli
