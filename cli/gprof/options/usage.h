// What --help, --version and errors print.
#pragma once

#include "absl/strings/string_view.h"

namespace gprofhub::cli {

// After "Usage: <program>": GNU gprof's options.
extern const absl::string_view kGprofUsage;

// What gprofhub adds; --help only.
extern const absl::string_view kGprofAdditions;

// The first line of --version, after the program's own.
extern const absl::string_view kGprofVersion;

}  // namespace gprofhub::cli
