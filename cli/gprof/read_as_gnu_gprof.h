// Reading a whole file, as GNU gprof sees it.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace gprofhub::cli {

// As ReadFileInto. But to GNU gprof, a directory is a file without content.
absl::Status ReadAsGnuGprof(const std::string& path, std::string& content);

}  // namespace gprofhub::cli
