#include "ci/upload/images/image_search.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "ci/upload/results/written_time.h"
#include "profile/elf/magic.h"
#include "profile/image/read_image.h"

namespace gprofhub::ci {
namespace {

namespace fs = std::filesystem;

// Limit of a search: runfiles may contain whole SDKs.
constexpr size_t kMaxRunfiles = 50'000;

bool IsElfFile(const std::string& path) {
  std::error_code error;
  // A pipe or device named in a manifest must not be opened.
  if (!fs::is_regular_file(path, error)) return false;
  return profile::IsElf(base::ReadBeginning(path, profile::kElfMagicBytes));
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Paths named in "<executable>.runfiles_manifest", else the files below
// "<executable>.runfiles".
std::vector<std::string> ListRunfiles(const std::string& executable) {
  std::vector<std::string> paths;
  if (std::ifstream manifest(executable + ".runfiles_manifest"); manifest) {
    // A line is "<runfiles path> <real path>"; the latter may be absent (an
    // empty file).
    for (std::string line; paths.size() < kMaxRunfiles && std::getline(manifest, line);) {
      const size_t space = line.find(' ');
      if (space != std::string::npos && space + 1 < line.size()) {
        paths.push_back(line.substr(space + 1));
      }
    }
    return paths;
  }
  std::error_code error;
  fs::recursive_directory_iterator entry(executable + ".runfiles", error);
  if (error) return paths;
  for (; entry != fs::recursive_directory_iterator() && paths.size() < kMaxRunfiles;
       entry.increment(error)) {
    paths.push_back(entry->path());
  }
  return paths;
}

}  // namespace

const std::string& ImageSearch::BuildIdOf(const std::string& path) {
  const auto known = build_ids_.find(path);
  if (known != build_ids_.end()) return known->second;
  std::string build_id;
  if (IsElfFile(path)) {
    // A damaged file among the runfiles is not the wanted one.
    if (absl::StatusOr<std::string> id = profile::ReadElfBuildId(path); id.ok())
      build_id = *std::move(id);
  }
  return build_ids_[path] = std::move(build_id);
}

absl::StatusOr<std::string> ImageSearch::FindByBuildId(const std::string& build_id,
                                                       const std::string& file_name,
                                                       const TestAttempt& attempt) {
  for (const std::string& path : images_) {
    if (BuildIdOf(path) == build_id) return path;
  }
  std::string other_build;  // another build of the program, by its file name
  const auto is_it = [&](const std::string& path) {
    if (BuildIdOf(path) == build_id) return true;
    if (other_build.empty() && BaseName(path) == file_name && IsElfFile(path)) other_build = path;
    return false;
  };
  for (const std::string& path : attempt.executables) {
    if (is_it(path)) return path;
  }
  const bool is_own_binary = !other_build.empty();
  size_t runfiles_seen = 0;
  for (const std::string& executable : attempt.executables) {
    const auto [entry, is_new] = runfiles_.try_emplace(executable);
    if (is_new) entry->second = ListRunfiles(executable);
    runfiles_seen += entry->second.size();
    for (const std::string& path : entry->second) {
      if (is_it(path)) return path;
    }
  }
  if (!other_build.empty()) {
    const std::string what =
        is_own_binary ? absl::StrCat("the binary of ", attempt.label) : file_name;
    return absl::FailedPreconditionError(absl::StrCat(what, " was built again since the test ran (",
                                                      other_build, " is not the build ", build_id,
                                                      "); upload before building anything else"));
  }
  return absl::NotFoundError(absl::StrCat(
      "no file with build-id ", build_id, " was found (looked at ",
      attempt.executables.empty() ? "no executable of the test"
                                  : absl::StrCat("the test's executable ", attempt.executables[0]),
      ", ", runfiles_seen, " runfiles and ", images_.size(),
      " --image files): upload before anything is built again, or name the file with --image"));
}

std::string ImageSearch::TestBuildId(const TestAttempt& attempt) {
  for (const std::string& path : attempt.executables) {
    if (!IsElfFile(path)) continue;
    return IsOfLaterBuild(attempt, path) ? "" : BuildIdOf(path);
  }
  return "";
}

absl::StatusOr<std::string> ImageSearch::TestBinary(const TestAttempt& attempt) {
  for (const std::string& path : attempt.executables) {
    if (IsElfFile(path)) return path;
  }
  if (images_.size() == 1) return images_[0];
  return absl::NotFoundError(
      absl::StrCat("the name says no build-id, and the program it belongs to is not known: ",
                   attempt.executables.empty()
                       ? "the test has no executable on this machine"
                       : absl::StrCat(attempt.executables[0], " is absent or no ELF file"),
                   "; name the program with --image"));
}

}  // namespace gprofhub::ci
