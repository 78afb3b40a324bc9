// Profiles in local files, computed without a server.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "profile/computed.h"

namespace gprofhub {

struct LocalProfile {
  ComputedProfile computed;
  uint32_t runs = 0;  // counts divide by it
};

// `path` is a gmon file; or a folder with the gmon files of one run, at any
// depth, and the programs that wrote them; or, where no gmon file lies in the
// folder itself, a folder with one such folder per run. Files are told apart by
// their contents, whatever their names. `image`, unless empty, is the program
// that wrote all of them. NOT_FOUND for a path without profiles or programs;
// FAILED_PRECONDITION for a profile that no program, or several, can have
// written; otherwise the readers' errors, which name the file.
absl::StatusOr<LocalProfile> ReadLocalProfile(const std::string& path, const std::string& image);

}  // namespace gprofhub
