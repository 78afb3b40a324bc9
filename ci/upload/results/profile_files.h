// Finds profiles among a test's undeclared outputs. Zip archives are read in
// memory: nothing is ever extracted to disk.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_budget.h"
#include "ci/upload/results/test_events.h"
#include "profile/raw_profile.h"
#include "proto/collector.pb.h"

namespace gprofhub::ci {

// An image that a recording holds data of.
struct RecordedImage {
  std::string build_id;
  bool is_wanted = false;  // its symbols are needed to name counted calls
  std::string file_name;   // of the program or shared object, without its folder; may be empty
  std::string path = {};   // of a shared object: its path at runtime
};

// A profile file, not validated yet.
struct ProfileFile {
  std::string name;      // relative to the outputs, such as "tool.0f3a….gmon.12"
  std::string origin;    // place of discovery, for messages
  std::string build_id;  // from the name, lower-case hexadecimal; empty if it has none
  std::string bytes;
  std::vector<RecordedImage> images = {};  // of a packed recording (recordings.h)
  bool is_stacks = false;                  // text of sampled stacks (stacks.h)
};

struct OutputLimits {
  uint64_t file_bytes = 64 << 20;    // of one profile; a shared file has only the next limit
  uint64_t total_bytes = 512 << 20;  // of all profiles of one execution
  uint64_t files = 100'000;          // examined entries
};

struct FoundProfiles {
  std::vector<ProfileFile> profiles;  // in ascending order of name
  std::vector<std::string> problems;  // skipped profiles, and why
};

// Profiles in a zip archive (Bazel's outputs.zip). INVALID_ARGUMENT if the
// archive is damaged or names files outside of itself, RESOURCE_EXHAUSTED if
// it exceeds the limits; a single bad profile is a problem, not an error.
absl::StatusOr<FoundProfiles> ReadProfilesInZip(const std::string& path,
                                                const OutputLimits& limits = {});

// The same of an archive in memory; `name` is for messages.
absl::StatusOr<FoundProfiles> ReadProfilesInZipBytes(absl::string_view bytes,
                                                     const std::string& name,
                                                     const OutputLimits& limits = {});

// Declared unpacked size of the archive's profiles. Errors as above.
absl::StatusOr<uint64_t> ProfileBytesInZip(absl::string_view bytes, const std::string& name,
                                           const OutputLimits& limits = {});

// Profiles in a folder and the folders below it; links are not followed. A profile that cannot be
// read, and a folder, are problems.
absl::StatusOr<FoundProfiles> ReadProfilesInFolder(const std::string& path,
                                                   const OutputLimits& limits = {});

// How files that Bazel names one by one are reached. Errors with INVALID_ARGUMENT are about that
// file only; other errors are about all of them.
struct OutputAccess {
  std::function<absl::StatusOr<uint64_t>(const OutputFile& file)> size;
  std::function<absl::StatusOr<std::string>(const OutputFile& file, uint64_t size)> read;
};

// Files on this machine. Links are not followed; each error is about its file only.
OutputAccess OutputsHere();

// The profiles among the files, as in an archive of them. Other files are neither measured nor
// read. Names are checked before anything else; one that is not a plain relative path is a problem.
// RESOURCE_EXHAUSTED if the files exceed the limits together. A file with an error of its own is a
// problem.
absl::StatusOr<FoundProfiles> ReadProfileFiles(const std::vector<OutputFile>& files,
                                               const OutputAccess& access,
                                               const OutputLimits& limits = {});

// The size of those profiles together. Errors as above.
absl::StatusOr<uint64_t> ProfileBytesInFiles(const std::vector<OutputFile>& files,
                                             const OutputAccess& access,
                                             const OutputLimits& limits = {});

// Checks a profile against its image.

// Client-side check that avoids a refusal of the whole execution by the server. The errors name the
// profile's origin: DATA_LOSS if it is empty, FAILED_PRECONDITION if the recording has no data of
// the image, else those of ReadGmon, UnpackRecording and CheckBelongs. Decoding memory is released
// to `decoding`, whose errors are returned, too.
absl::Status CheckProfile(const ProfileFile& profile, const profile::SymbolTable& image,
                          const base::Decoding& decoding = {});

// Builds the collector's description of one execution from its profiles and their images.

// An image as the collector's messages describe it.
struct ImageBundle {
  std::string build_id;
  std::string sha256;  // of its symbol bundle
  uint64_t size = 0;
};

struct ImageSources {
  // The images that the profile can be resolved against; none: the profile is skipped, and
  // `skipped` has a sentence for it. May change the profile's bytes.
  std::function<std::vector<ImageBundle>(ProfileFile& profile, std::vector<std::string>& skipped)>
      images_of;
  // The build-id of the test's own program; empty if unknown.
  std::function<std::string()> own_build_id;
};

// The header's run is unset, except for the kind of its profiles.
struct DescribedExecution {
  v1::UploadHeader header;
  std::vector<ProfileFile> profiles;  // in the order of the header
};

// Appends a sentence to `skipped` for each skipped profile.
DescribedExecution DescribeExecution(const TestAttempt& attempt, std::vector<ProfileFile> profiles,
                                     const ImageSources& sources,
                                     std::vector<std::string>& skipped);

// Whether to ask the server for the profile of a cached result that has no local profile: its
// outputs were skipped (`some_left_out`), or Bazel names no outputs of a profiled program, as Bazel
// 4 does with --remote_download_minimal. False for a test that writes no profile.
bool AsksForProfile(const TestAttempt& attempt, const v1::UploadHeader& header, bool some_left_out);

// Message for a missing profile if Bazel names no outputs.
inline constexpr absl::string_view kNoOutputsNamed =
    "Bazel lists no outputs of this cached result, and the server has no profile of the same "
    "program; use --remote_download_toplevel instead of --remote_download_minimal";

// Prepares the runtime's recordings among a test's outputs for sending.

// Packs each recording (profile/codec/message.h) in `found`, a shared file's one by one, with the
// images it has data of, and drops the gmon file that its process wrote at an orderly exit: the
// recording is a superset. The recording of a program without a build-id becomes the gmon file of
// the program alone. A recording of a process that was killed before its first call was counted is
// dropped. An unreadable recording, or one too large for the server, becomes a problem, and its
// gmon file stays. Decoding memory is released to `decoding`. On an error of `decoding`, which is
// returned, `found` is unchanged.
absl::Status PackRecordings(FoundProfiles& found, const base::Decoding& decoding = {});

// Measured units of one test attempt: the test itself, or each of its cases (cases.h).

struct MeasuredUnit {
  TestAttempt attempt;  // its label is the unit's target
  std::vector<ProfileFile> profiles;
};

// In the order of the cases' names. Never empty: without a profile it is the test.
std::vector<MeasuredUnit> UnitsOf(const TestAttempt& attempt, std::vector<ProfileFile> profiles);

}  // namespace gprofhub::ci
