// The profiles that gprof reads.
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

// The sum of the profiles ("-": standard input). For --file-info, puts what records each
// has into `records`, and prints it, unless for an export. Warns on stderr of profiles that
// another program wrote. Prints what `trace`, if there is one, says of each. The status'
// message is the whole line that GNU gprof prints for such a file.
absl::StatusOr<profile::RawProfile> ReadProfiles(const GprofOptions& options,
                                                 const profile::SymbolTable& symbols,
                                                 GprofTrace* trace,
                                                 std::vector<analyzer::ProfileRecords>& records);

}  // namespace gprofhub::cli
