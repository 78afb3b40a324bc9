// Profiles in local files, computed without a server.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "profile/computed.h"

namespace gprofhub::cli {

// One ComputedProfile per run at `path` (cli/local/files.h defines the files), in the order of the
// runs' names. Where a process wrote both a recording and a gmon file, the recording counts.
// `image`, unless empty, is the program that wrote all of them; otherwise programs are next to the
// profiles, or, for recordings, at the recorded path, if unchanged. NOT_FOUND for a path without
// profiles or programs; FAILED_PRECONDITION for a profile that matches no program, or several;
// otherwise the readers' errors, which name the file.
absl::StatusOr<std::vector<profile::ComputedProfile>> ReadLocalRuns(const std::string& path,
                                                                    const std::string& image);

}  // namespace gprofhub::cli
