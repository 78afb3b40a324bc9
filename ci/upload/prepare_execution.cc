#include "ci/upload/prepare_execution.h"

#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "ci/upload/image_search.h"
#include "ci/upload/results/output_names.h"
#include "ci/upload/results/profile_files.h"
#include "ci/upload/results/test_events.h"
#include "ci/upload/results/testlogs.h"
#include "profile/codec/message.h"
#include "profile/recording/perf_text.h"
#include "profile/recording/shared.h"

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
  const bool is_shared =
      profile::IsSharedRecording(base::ReadBeginning(path, profile::kSharedRecordingHead));
  ASSIGN_OR_RETURN(std::string bytes,
                   base::ReadFile(path, is_stacks   ? kMaxStacksBytes
                                        : is_shared ? OutputLimits().total_bytes
                                                    : OutputLimits().file_bytes));
  if (absl::StartsWith(bytes, "PERFILE")) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": perf data in binary form; upload the output of `perf script -i ", path, "`"));
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

// The sentence for an output of a build that is not on this machine.
std::string NotHere(const TestAttempt& attempt, const std::string& place) {
  return absl::StrCat(Describe(attempt), ": the outputs are not on this machine (", place,
                      "), nor below bazel-testlogs of the workspace; build with "
                      "--remote_download_toplevel to download them, and upload on the same "
                      "machine");
}

// Whether the output is the one that the attempt left; if not, `skipped` has a sentence.
bool IsOutputOf(const TestAttempt& attempt, const std::string& path,
                std::vector<std::string>& skipped) {
  if (IsOfLaterBuild(attempt, path)) {
    skipped.push_back(
        absl::StrCat(Describe(attempt), ": ", path,
                     " was overwritten by a later build; upload after each `bazel test`"));
    return false;
  }
  std::error_code error;
  if (attempt.build_ended_unix_ms != 0 && !fs::exists(path, error)) {
    skipped.push_back(NotHere(attempt, path));
    return false;
  }
  return true;
}

// The profiles that were read, with recordings packed; on an error, nothing and a sentence in
// `skipped`.
FoundProfiles Packed(const TestAttempt& attempt, absl::StatusOr<FoundProfiles> found,
                     std::vector<std::string>& skipped) {
  if (!found.ok()) {
    skipped.push_back(absl::StrCat(Describe(attempt), ": ", found.status().message()));
    return {};
  }
  if (absl::Status status = PackRecordings(*found); !status.ok()) {
    skipped.push_back(absl::StrCat(Describe(attempt), ": ", status.message()));
  }
  return *std::move(found);
}

// The profiles among the outputs that Bazel names one by one; nothing if one of them is missing.
FoundProfiles ReadOutputFiles(const TestAttempt& attempt, std::vector<std::string>& skipped) {
  if (!attempt.remote_output_files.empty()) {
    skipped.push_back(NotHere(attempt, attempt.remote_output_files.front().place));
    return {};
  }
  for (const OutputFile& file : attempt.output_files) {
    if (!IsOutputOf(attempt, file.place, skipped)) return {};
  }
  return Packed(attempt, ReadProfileFiles(attempt.output_files, OutputsHere()), skipped);
}

// Reads all outputs of the execution, from all places where Bazel puts them, and packs its
// recordings (PackRecordings). Profiles' names are unique. Appends a sentence to `skipped` for each
// skipped output or profile: it is on another machine, a later build overwrote it, or it cannot be
// read.
std::vector<ProfileFile> CollectProfiles(const TestAttempt& attempt,
                                         std::vector<std::string>& skipped) {
  for (const std::string& uri : attempt.remote_outputs) {
    skipped.push_back(NotHere(attempt, uri));
  }
  std::vector<FoundProfiles> all = {ReadOutputFiles(attempt, skipped)};
  for (const std::string& path : attempt.outputs) {
    if (!IsOutputOf(attempt, path, skipped)) continue;
    all.push_back(Packed(attempt, ReadOutputs(path), skipped));
  }
  std::vector<ProfileFile> profiles;
  std::set<std::string> names;
  for (FoundProfiles& found : all) {
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

// Converts stacks that perf sampled in production from text to the collector's format.

// Replaces the profile's text with the collector's format: stacks with names resolved to functions
// of `image` (profile/codec/message.h). Names of other code are not sent. Errors as
// ParseSampledStacks, ResolveStacks and DecodeStacks (too large for the server); INVALID_ARGUMENT
// if the addresses of most functions differ between the image and perf's output.
absl::Status PackStacks(ProfileFile& profile, const Image& image);

absl::Status PackStacks(ProfileFile& profile, const Image& image) {
  ASSIGN_OR_RETURN(const profile::SampledStacks stacks,
                   profile::ParseSampledStacks(profile.bytes, profile.origin));
  ASSIGN_OR_RETURN(const profile::ResolvedStacks resolved,
                   profile::ResolveStacks(stacks, image.symbols, profile.origin));
  if (resolved.IsOfOtherBuild()) {
    return absl::InvalidArgumentError(
        absl::StrCat(profile.origin, ": not the binary that was sampled: of ", resolved.placed,
                     " functions with an address in perf's output, ", resolved.misplaced,
                     " have a different address in ", image.symbols.image_name,
                     "; pass the sampled binary with --image"));
  }
  std::string packed = profile::EncodeStacks(resolved.stacks);
  // Detects early what the server would refuse.
  RETURN_IF_ERROR(profile::DecodeStacks(packed, profile.origin, image.symbols).status());
  profile.bytes = std::move(packed);
  return absl::OkStatus();
}

// Sources of images.
struct ImageSource {
  ImageSearch& search;
  ImageBundles& bundles;
};

// The program's file name, if the profile's name contains it.
std::string ProgramOf(const ProfileFile& profile) {
  const std::string base_name = profile.name.substr(profile.name.rfind('/') + 1);
  return ParseProfileName(base_name).value_or(ProfileName()).program;
}

absl::StatusOr<std::shared_ptr<const Image>> FindImage(const RecordedImage& wanted,
                                                       const ProfileFile& profile,
                                                       const TestAttempt& attempt,
                                                       const ImageSource& source) {
  if (!wanted.build_id.empty()) {
    auto built = source.bundles.FindBuilt(attempt.symbol_bundles, wanted.build_id);
    if (built != nullptr) return built;
  }
  absl::StatusOr<std::string> path =
      wanted.build_id.empty()
          ? source.search.TestBinary(attempt)
          : source.search.FindByBuildId(wanted.build_id, wanted.file_name, attempt);
  // A system library with counted calls is not one of the test's files.
  if (!path.ok() && !wanted.path.empty() && wanted.is_wanted &&
      source.search.IsBuild(wanted.path, wanted.build_id)) {
    path = wanted.path;
  }
  if (!path.ok()) {
    return base::WithContext(path.status(), profile.origin);
  }
  return source.bundles.Load(*path, wanted.build_id);
}

// The images that the profile can be resolved against. Images of a recording without available
// symbols, such as libc's, are skipped; their time stays attributed to them.
std::vector<std::shared_ptr<const Image>> FindImages(const ProfileFile& profile,
                                                     const TestAttempt& attempt,
                                                     const ImageSource& source,
                                                     std::vector<std::string>& skipped) {
  std::vector<RecordedImage> wanted = profile.images;
  if (wanted.empty()) wanted.push_back({profile.build_id, true, ProgramOf(profile)});
  std::vector<std::shared_ptr<const Image>> images;
  for (const RecordedImage& one : wanted) {
    absl::StatusOr<std::shared_ptr<const Image>> image = FindImage(one, profile, attempt, source);
    const absl::Status status =
        image.ok() ? CheckProfile(profile, (*image)->symbols) : image.status();
    if (status.ok()) {
      images.push_back(*std::move(image));
    } else if (one.is_wanted) {
      skipped.push_back(absl::StrCat(attempt.label, ": ", status.message()));
    }
  }
  return images;
}

// Packs the stacks for the image that the user named.
std::vector<std::shared_ptr<const Image>> PackStacksForImage(ProfileFile& profile,
                                                             const TestAttempt& attempt,
                                                             const ImageSource& source,
                                                             std::vector<std::string>& skipped) {
  absl::StatusOr<std::shared_ptr<const Image>> image = FindImage({}, profile, attempt, source);
  const absl::Status status = image.ok() ? PackStacks(profile, **image) : image.status();
  if (status.ok()) return {*std::move(image)};
  skipped.push_back(absl::StrCat(attempt.label, ": ", status.message()));
  return {};
}

PreparedExecution Prepare(const TestAttempt& attempt, std::vector<ProfileFile> profiles,
                          ImageSearch& search, ImageBundles& bundles,
                          std::vector<std::string>& skipped) {
  PreparedExecution prepared;
  const ImageSource source = {search, bundles};
  ImageSources sources;
  sources.images_of = [&](ProfileFile& profile, std::vector<std::string>& left_out) {
    std::vector<ImageBundle> named;
    for (const std::shared_ptr<const Image>& image :
         profile.is_stacks ? PackStacksForImage(profile, attempt, source, left_out)
                           : FindImages(profile, attempt, source, left_out)) {
      named.push_back({image->build_id, image->bundle_sha256, image->bundle.size()});
      prepared.images[image->build_id] = image;
    }
    return named;
  };
  sources.own_build_id = [&] { return search.TestBuildId(attempt); };
  DescribedExecution described = DescribeExecution(attempt, std::move(profiles), sources, skipped);
  prepared.header = std::move(described.header);
  prepared.profiles = std::move(described.profiles);
  // `profiles` is final here, so pointers to its bytes stay valid.
  for (const ProfileFile& profile : prepared.profiles) {
    prepared.blobs[base::Sha256Hex(profile.bytes)] = profile.bytes;
  }
  for (const auto& [build_id, image] : prepared.images) {
    prepared.blobs[image->bundle_sha256] = image->bundle;
  }
  return prepared;
}

}  // namespace

std::vector<PreparedExecution> PrepareExecutions(const TestAttempt& attempt, ImageSearch& search,
                                                 ImageBundles& bundles,
                                                 std::vector<std::string>& skipped) {
  std::vector<MeasuredUnit> units = UnitsOf(attempt, CollectProfiles(attempt, skipped));
  std::vector<PreparedExecution> prepared;
  prepared.reserve(units.size());  // keeps the bytes that `blobs` points to in place
  for (MeasuredUnit& unit : units) {
    prepared.push_back(Prepare(unit.attempt, std::move(unit.profiles), search, bundles, skipped));
  }
  return prepared;
}

}  // namespace gprofhub::ci
