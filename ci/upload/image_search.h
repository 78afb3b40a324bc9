// Finds the ELF file that a profile's addresses refer to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ci/upload/results/test_events.h"
#include "profile/raw_profile.h"

namespace gprofhub::ci {

// An image as an upload names it: its build-id, and its symbols in two forms.

inline constexpr uint64_t kMaxBundleBytes = 256 << 20;  // what the server takes

struct Image {
  // The GNU build-id; of a file without one the first 40 digits of the SHA-256 of its bytes, which
  // also identifies the build.
  std::string build_id;
  profile::SymbolTable symbols;  // without lines
  std::string bundle;            // as the server wants it
  std::string bundle_sha256;
};

// The id that an image made of the ELF file `path` has. Errors as ReadElfBuildId.
absl::StatusOr<std::string> IdentifyImage(const std::string& path);

// Reads the ELF file `path`, whose id is `build_id`. The same file gives the same bundle. Errors as
// ReadElfSymbols; RESOURCE_EXHAUSTED for a bundle that no server takes.
absl::StatusOr<Image> ReadImage(const std::string& path, const std::string& build_id);

// The image whose bundle these bytes are. Errors as DecodeSymbolBundle.
absl::StatusOr<Image> ImageOfBundle(std::string bundle);

// Symbol bundles of images, made once per build-id and kept in a folder: the
// debug information of a large program takes long to read.

class ImageBundles {
 public:
  // `cache_folder` is made when needed; empty, or not writable: nothing is kept
  // beyond this object's life.
  explicit ImageBundles(std::string cache_folder) : cache_folder_(std::move(cache_folder)) {}

  // The image in the ELF file `path`. `build_id` is the one that the file is
  // known to have, or empty. Errors as ReadElfSymbols.
  absl::StatusOr<std::shared_ptr<const Image>> Load(const std::string& path,
                                                    const std::string& build_id);

  // The image with this build-id among those whose bundles the build made (the outputs of
  // `gprofhub symbols`); null if none of the files is its bundle. Files that are absent, empty or
  // damaged are as if they were not named.
  std::shared_ptr<const Image> FindBuilt(const std::vector<std::string>& files,
                                         const std::string& build_id);

  // Deletes bundles in the cache folder that were last used before `time`.
  void RemoveUnused(std::filesystem::file_time_type time) const;

 private:
  std::string CachePath(const std::string& build_id) const;
  std::shared_ptr<const Image> LoadCached(const std::string& build_id) const;
  void Store(const Image& image) const;
  std::shared_ptr<const Image> Remember(std::shared_ptr<const Image> image);

  std::string cache_folder_;
  std::map<std::string, std::string> built_;  // build-ids of bundles that the build made, by path
  // The last few only: a build may have thousands of test binaries.
  std::map<std::string, std::shared_ptr<const Image>> recent_;  // by build-id
};

// ${XDG_CACHE_HOME:-~/.cache}/gprofhub/bundles; empty if neither is known.
std::string DefaultBundleFolder(const std::map<std::string, std::string>& environment);

// Remembers what it has read: a test's files are asked for once per profile.
class ImageSearch {
 public:
  // `images`: files named by the user (--image), looked at first.
  explicit ImageSearch(std::vector<std::string> images) : images_(std::move(images)) {}

  // The file with this build-id among the user's images, the test's executable
  // and its runfiles. NOT_FOUND lists the places searched. `file_name` is the file's name
  // when it ran, or empty: FAILED_PRECONDITION if the test has another build of a file with that
  // name.
  absl::StatusOr<std::string> FindByBuildId(const std::string& build_id,
                                            const std::string& file_name,
                                            const TestAttempt& attempt);

  // Whether the file is there and has this build-id.
  bool IsBuild(const std::string& path, const std::string& build_id) {
    return BuildIdOf(path) == build_id;
  }

  // The test's own program, for profiles that do not name their program:
  // the test's executable if it is an ELF file, else the only user's image.
  absl::StatusOr<std::string> TestBinary(const TestAttempt& attempt);

  // The build-id of the test's own program; empty if it is not here, or if a later build wrote it.
  std::string TestBuildId(const TestAttempt& attempt);

 private:
  // Empty for files that are absent, no ELF files or without a build-id.
  const std::string& BuildIdOf(const std::string& path);

  std::vector<std::string> images_;
  std::map<std::string, std::string> build_ids_;              // by path
  std::map<std::string, std::vector<std::string>> runfiles_;  // by executable
};

}  // namespace gprofhub::ci
