#include "ci/upload/results/recordings.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "profile/codec/recording.h"
#include "profile/gmon/writer.h"
#include "profile/recording/reader.h"
#include "runtime/gmon/placement.h"

namespace gprofhub::ci {
namespace {

// A text of stacks may begin with a program's name, as a recording does.
bool HoldsRecording(const ProfileFile& file) {
  return !file.is_stacks && profile::IsRecording(file.bytes);
}

// The folder of `name`, with its slash.
std::string FolderOf(const std::string& name) {
  const size_t slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(0, slash + 1);
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Name of the gmon file that the runtime writes at an orderly exit.
std::string GmonName(const std::string& folder, const profile::RecordedModule& program,
                     uint32_t pid) {
  return absl::StrCat(folder, BaseName(program.path), ".",
                      program.build_id.empty() ? GPROFHUB_UNKNOWN_BUILD_ID : program.build_id,
                      "." GPROFHUB_GMON_SUFFIX ".", pid);
}

absl::StatusOr<std::string> Pack(const ProfileFile& file, const profile::Recording& recording,
                                 const profile::RecordedModule& program,
                                 const base::Decoding& decoding) {
  // Modules are identified by their build-ids alone.
  if (program.build_id.empty()) return profile::WriteGmon(program.profile);
  std::string packed = profile::PackRecording(file.bytes);
  // Detects early what the server would refuse.
  const auto unpacked = profile::UnpackRecording(packed, recording.program, decoding);
  return unpacked.ok() ? absl::StatusOr<std::string>(std::move(packed)) : unpacked.status();
}

std::vector<RecordedImage> Images(const profile::Recording& recording) {
  std::vector<RecordedImage> images;
  if (profile::FindModule(recording, "")->build_id.empty()) return images;
  for (const profile::RecordedModule& module : recording.modules) {
    const bool has_calls = module.is_program || !module.profile.arcs.empty();
    if (module.build_id.empty() || (!has_calls && module.profile.histograms.empty())) continue;
    images.push_back(
        {module.build_id, has_calls, BaseName(module.path), module.is_program ? "" : module.path});
  }
  return images;
}

}  // namespace

absl::Status PackRecordings(FoundProfiles& found, const base::Decoding& decoding) {
  absl::flat_hash_set<std::string> replaced;  // names of gmon files
  std::vector<ProfileFile> recordings;
  for (ProfileFile& file : found.profiles) {
    if (!HoldsRecording(file)) continue;
    const base::DecodingScope scope(decoding);
    const absl::StatusOr<profile::Recording> recording =
        profile::ReadRecording(file.bytes, file.origin, decoding);
    if (base::IsOfDecoding(recording.status())) return recording.status();
    if (!recording.ok()) {
      found.problems.emplace_back(recording.status().message());
      continue;
    }
    const profile::RecordedModule* program = profile::FindModule(*recording, "");
    if (program == nullptr) continue;  // killed before its first call was counted
    const absl::StatusOr<std::string> packed = Pack(file, *recording, *program, decoding);
    if (base::IsOfDecoding(packed.status())) return packed.status();
    if (!packed.ok()) {
      found.problems.push_back(absl::StrCat(file.origin, ": ", packed.status().message()));
      continue;
    }
    replaced.insert(GmonName(FolderOf(file.name), *program, recording->pid));
    recordings.push_back({file.name, file.origin, program->build_id, *packed, Images(*recording)});
  }
  std::vector<ProfileFile> profiles;
  for (ProfileFile& file : found.profiles) {
    if (!HoldsRecording(file) && !replaced.contains(file.name)) {
      profiles.push_back(std::move(file));
    }
  }
  for (ProfileFile& recording : recordings) profiles.push_back(std::move(recording));
  std::sort(profiles.begin(), profiles.end(),
            [](const ProfileFile& a, const ProfileFile& b) { return a.name < b.name; });
  found.profiles = std::move(profiles);
  return absl::OkStatus();
}

}  // namespace gprofhub::ci
