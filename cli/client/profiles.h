// Profiles in local files, computed without a server.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "profile/computed.h"
#include "profile/recording/reader.h"

namespace gprofhub::cli {

// Profiles and programs in local folders: which files belong to which run.

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

// One ComputedProfile per run at `path` (cli/client/profiles.h defines the files), in the order of
// the runs' names. Where a process wrote both a recording and a gmon file, the recording counts.
// `image`, unless empty, is the program that wrote all of them; otherwise programs are next to the
// profiles, or, for recordings, at the recorded path, if unchanged. NOT_FOUND for a path without
// profiles or programs; FAILED_PRECONDITION for a profile that matches no program, or several;
// otherwise the readers' errors, which name the file.
absl::StatusOr<std::vector<profile::ComputedProfile>> ReadLocalRuns(const std::string& path,
                                                                    const std::string& image);

// Recordings named on a command line.

// Reads and parses the recording, or, one after the other, those of a test's processes in their
// shared file; `name` is the path, or that of the process's own file next to it. NotFound: the file
// cannot be read; otherwise ReadRecording's and VisitRecordings' errors, or the first of `visit`.
absl::Status ReadRecordingFile(
    const std::string& path,
    absl::FunctionRef<absl::Status(const std::string& name, const profile::Recording&)> visit);

}  // namespace gprofhub::cli
