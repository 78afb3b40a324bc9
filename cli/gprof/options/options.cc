#include "cli/gprof/options/options.h"

#include <unistd.h>

#include "absl/strings/string_view.h"

namespace gprofhub::cli {

std::vector<std::string> ReadableProfiles(const GprofOptions& options) {
  std::vector<std::string> names;
  absl::string_view rest = options.profiles;
  while (!rest.empty()) {
    names.emplace_back(rest.data());
    rest.remove_prefix(names.back().size() + 1);
    if (names.back() != "-" && access(names.back().c_str(), R_OK) != 0) break;
  }
  return names;
}

}  // namespace gprofhub::cli
