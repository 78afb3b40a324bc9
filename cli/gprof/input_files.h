// The files that gprof reads: the program and its profiles.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/exports/input.h"
#include "cli/gprof/options/options.h"
#include "cli/gprof/traces/trace.h"
#include "profile/raw_profile.h"
#include "profile/symbols.h"

namespace gprofhub::cli {

// The status' message is the whole line that GNU gprof prints for such a file. The
// program may be stripped.
absl::StatusOr<profile::SymbolTable> ReadImage(const GprofOptions& options);

// Puts those of -S, if given, in the place of the program's. An error where there are
// none then.
absl::Status ChooseFunctions(const GprofOptions& options, profile::SymbolTable& symbols);

// The sum of the profiles ("-": standard input). For --file-info, puts what records each
// has into `records`, and prints it, unless for an export. Warns on stderr of profiles that
// another program wrote. Prints what `trace`, if there is one, says of each. Errors as
// above.
absl::StatusOr<profile::RawProfile> ReadProfiles(const GprofOptions& options,
                                                 const profile::SymbolTable& symbols,
                                                 GprofTrace* trace,
                                                 std::vector<analyzer::ProfileRecords>& records);

// As ReadFileInto; but as to GNU gprof, a directory is a file without content.
absl::Status ReadAsGnuGprof(const std::string& path, std::string& content);

}  // namespace gprofhub::cli
