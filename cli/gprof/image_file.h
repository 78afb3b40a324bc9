// The program that gprof reads.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/gprof/options/options.h"
#include "profile/symbols.h"

namespace gprofhub::cli {

// The status' message is the whole line that GNU gprof prints for such a file. The
// program may be stripped.
absl::StatusOr<profile::SymbolTable> ReadImage(const GprofOptions& options);

// Replaces the program's functions by those of -S, if given. An error if there are no functions
// then.
absl::Status ChooseFunctions(const GprofOptions& options, profile::SymbolTable& symbols);

}  // namespace gprofhub::cli
