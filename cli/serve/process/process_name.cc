#include "cli/serve/process/process_name.h"

#include <unistd.h>

#include <array>

#include "absl/strings/str_cat.h"

namespace gprofhub::cli {

std::string ProcessName() {
  std::array<char, 256> host = {};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  return absl::StrCat(host.data(), "/", getpid());
}

}  // namespace gprofhub::cli
