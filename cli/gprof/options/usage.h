// Texts of --help, --version and errors.
#pragma once

#include "absl/strings/string_view.h"

namespace gprofhub::cli {

// After "Usage: <program>": GNU gprof's options.
extern const absl::string_view kGprofUsage;

// gprofhub's additional options; --help only.
extern const absl::string_view kGprofAdditions;

// The rest of --version, behind the program's name and version.
extern const absl::string_view kGprofVersion;

}  // namespace gprofhub::cli
