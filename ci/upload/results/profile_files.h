// Finds profiles among a test's undeclared outputs. Zip archives are read in
// memory: nothing is ever extracted to disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

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

// Parses a profile's file name; nullopt if the file is not a profile.
struct ProfileName {
  std::string build_id;
  std::string program;  // its file's name; empty if the profile's name has none
};

// Takes the last component of a path: "<program>.<build-id>.gmon.<pid>"
// (runtime/gmon/placement.h), "gmon.out", "gmon.out.<pid>", "gmon.<pid>", or the
// runtime's recording, "<program>.<pid>.gprofhub" (recordings.h).
std::optional<ProfileName> ParseProfileName(absl::string_view base_name);

struct OutputLimits {
  uint64_t file_bytes = 64 << 20;    // of one profile
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

// Profiles in a folder and the folders below it; links are not followed.
absl::StatusOr<FoundProfiles> ReadProfilesInFolder(const std::string& path,
                                                   const OutputLimits& limits = {});

}  // namespace gprofhub::ci
