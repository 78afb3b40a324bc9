#include "ci/upload/results/outputs.h"

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "ci/upload/results/profile_files.h"
#include "ci/upload/results/test_events.h"
#include "profile/recording/perf_text.h"

namespace gprofhub::ci {

namespace {

namespace fs = std::filesystem;

// Limit of the text; what is sent is a small part of it.
constexpr uint64_t kMaxStacksBytes = 1ULL << 30;

// The profiles in one of an execution's outputs: an archive, a folder, or a profile given by the
// user under any name.
absl::StatusOr<FoundProfiles> ReadOutputs(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return ReadProfilesInFolder(path);
  if (absl::EndsWith(path, ".zip")) return ReadProfilesInZip(path);
  if (!fs::is_regular_file(path, error)) {
    return absl::NotFoundError(
        absl::StrCat(path, ": ", error ? error.message() : std::string("is not a regular file")));
  }
  const bool is_stacks = profile::HoldsSampledStacks(path);
  ASSIGN_OR_RETURN(std::string bytes,
                   base::ReadFile(path, is_stacks ? kMaxStacksBytes : OutputLimits().file_bytes));
  if (absl::StartsWith(bytes, "PERFILE")) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": is perf's own data; upload what `perf script -i ", path, "` prints of it"));
  }
  const std::string name = fs::path(path).filename();
  FoundProfiles found;
  found.profiles.push_back({.name = name,
                            .origin = path,
                            .build_id = ParseProfileName(name).value_or(ProfileName()).build_id,
                            .bytes = std::move(bytes),
                            .is_stacks = is_stacks});
  return found;
}

// The profiles in one output; if it is unusable, nothing and a sentence in `skipped`.
FoundProfiles ReadOutputOf(const TestAttempt& attempt, const std::string& path,
                           std::vector<std::string>& skipped) {
  if (IsOfLaterBuild(attempt, path)) {
    skipped.push_back(absl::StrCat(Describe(attempt), ": ", path,
                                   " was written after this build had ended: another build took "
                                   "its place. Upload after each `bazel test`."));
    return {};
  }
  absl::StatusOr<FoundProfiles> found = ReadOutputs(path);
  if (!found.ok()) {
    skipped.push_back(absl::StrCat(Describe(attempt), ": ", found.status().message()));
    return {};
  }
  if (absl::Status status = PackRecordings(*found); !status.ok()) {
    skipped.push_back(absl::StrCat(Describe(attempt), ": ", status.message()));
  }
  return *std::move(found);
}

}  // namespace

std::vector<ProfileFile> CollectProfiles(const TestAttempt& attempt,
                                         std::vector<std::string>& skipped) {
  for (const std::string& uri : attempt.remote_outputs) {
    skipped.push_back(absl::StrCat(Describe(attempt), ": its outputs are not on this machine (",
                                   uri,
                                   "); build with --remote_download_toplevel to have them here"));
  }
  std::vector<ProfileFile> profiles;
  std::set<std::string> names;
  for (const std::string& path : attempt.outputs) {
    FoundProfiles found = ReadOutputOf(attempt, path, skipped);
    skipped.insert(skipped.end(), found.problems.begin(), found.problems.end());
    for (ProfileFile& profile : found.profiles) {
      // Files of the same name in several folders are from different processes.
      const std::string name = profile.name;
      for (int i = 2; !names.insert(profile.name).second; ++i) {
        profile.name = absl::StrCat(name, "~", i);
      }
      profiles.push_back(std::move(profile));
    }
  }
  return profiles;
}

}  // namespace gprofhub::ci
