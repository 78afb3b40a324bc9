#include "ci/upload/recordings.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "profile/gmon_writer.h"
#include "profile/recording_reader.h"
#include "runtime/gmon_placement.h"

namespace gprofhub {
namespace {

// The folder of `name`, with its slash.
std::string FolderOf(const std::string& name) {
  const size_t slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(0, slash + 1);
}

// What the runtime calls the gmon file that it writes at an orderly exit.
std::string GmonName(const std::string& folder, const RecordedModule& program, uint32_t pid) {
  const std::string base = program.path.substr(program.path.rfind('/') + 1);
  return absl::StrCat(folder, base, ".",
                      program.build_id.empty() ? GPROFHUB_UNKNOWN_BUILD_ID : program.build_id,
                      "." GPROFHUB_GMON_SUFFIX ".", pid);
}

}  // namespace

void ReplaceRecordings(FoundProfiles& found) {
  absl::flat_hash_set<std::string> names;
  for (const ProfileFile& file : found.profiles) names.insert(file.name);
  std::vector<ProfileFile> profiles;
  for (ProfileFile& file : found.profiles) {
    if (!IsRecording(file.bytes)) {
      profiles.push_back(std::move(file));
      continue;
    }
    const absl::StatusOr<Recording> recording = ReadRecording(file.bytes, file.origin);
    if (!recording.ok()) {
      found.problems.emplace_back(recording.status().message());
      continue;
    }
    const RecordedModule* program = FindModule(*recording, "");
    if (program == nullptr) continue;  // killed before its first call was counted
    if (recording->finished &&
        names.contains(GmonName(FolderOf(file.name), *program, recording->pid))) {
      continue;
    }
    absl::StatusOr<std::string> gmon = WriteGmon(program->profile);
    if (!gmon.ok()) {
      found.problems.push_back(absl::StrCat(file.origin, ": ", gmon.status().message()));
      continue;
    }
    profiles.push_back({file.name, file.origin, program->build_id, *std::move(gmon)});
  }
  found.profiles = std::move(profiles);
}

}  // namespace gprofhub
