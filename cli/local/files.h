// Profiles and programs in local folders: which files belong to which run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gprofhub::cli {

// One run's files, told apart by their contents whatever their names; each list
// in the order of the paths.
struct RunFiles {
  std::filesystem::path folder;  // or the file
  std::vector<std::filesystem::path> gmons;
  std::vector<std::filesystem::path> recordings;
  std::vector<std::filesystem::path> programs;  // ELF files

  bool HasProfile() const { return !gmons.empty() || !recordings.empty(); }
};

// `path` is a profile; or a folder with the profiles of one run, at any depth,
// and the programs that wrote them; or, where no profile lies in the folder
// itself, a folder with one such folder per run, in the order of their names. A
// program beside the runs' folders is that of all of them. At least one run, each
// with a profile. NOT_FOUND for a path without profiles.
absl::StatusOr<std::vector<RunFiles>> FindRunFiles(const std::string& path);

}  // namespace gprofhub::cli
