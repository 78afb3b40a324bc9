// Profiles and programs in local folders: which files belong to which run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gprofhub::cli {

// One run's files, classified by content regardless of their names; each list in the order of the
// paths.
struct RunFiles {
  std::filesystem::path folder;  // or the file
  std::vector<std::filesystem::path> gmons;
  std::vector<std::filesystem::path> recordings;
  std::vector<std::filesystem::path> programs;  // ELF files

  bool HasProfile() const { return !gmons.empty() || !recordings.empty(); }
};

// `path` is a profile; or a folder with the profiles of one run, at any depth, and the programs
// that wrote them; or, if the folder itself has no profile, a folder with one such folder per run,
// in the order of their names. A program next to the runs' folders belongs to all of them. At least
// one run, each with a profile. NOT_FOUND for a path without profiles.
absl::StatusOr<std::vector<RunFiles>> FindRunFiles(const std::string& path);

}  // namespace gprofhub::cli
