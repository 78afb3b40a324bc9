// The profiles that gprof reads.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/exports/input.h"
#include "cli/gprof/debug_dump.h"
#include "cli/gprof/library_functions.h"
#include "cli/gprof/options/options.h"
#include "profile/raw_profile.h"
#include "profile/symbols.h"

namespace gprofhub::cli {

// The sum of the profiles ("-": standard input). For --file-info, stores the record counts of each
// profile in `records`, and prints them, unless for an export. Warns on stderr of profiles that
// another program wrote. Prints `dump`'s text of each, unless `dump` is null. Calls of functions of
// other modules lead to those of `libraries`, or are omitted if that is null. The status' message
// is the whole line that GNU gprof prints for such a file.
absl::StatusOr<profile::RawProfile> ReadProfiles(const GprofOptions& options,
                                                 const profile::SymbolTable& symbols,
                                                 const DebugDump* dump, LibraryFunctions* libraries,
                                                 std::vector<analyzer::ProfileRecords>& records);

}  // namespace gprofhub::cli
