#include "base/glob.h"

#include <fnmatch.h>

#include <string>

namespace gprofhub::base {

bool GlobMatches(absl::string_view pattern, absl::string_view text) {
  if (pattern == text) return true;
  // fnmatch would stop at a NUL byte.
  if (pattern.find('\0') != absl::string_view::npos || text.find('\0') != absl::string_view::npos) {
    return false;
  }
  return fnmatch(std::string(pattern).c_str(), std::string(text).c_str(), 0) == 0;
}

}  // namespace gprofhub::base
