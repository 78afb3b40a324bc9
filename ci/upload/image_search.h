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

// An image as sent in an upload: its build-id, and its symbols in two forms.

inline constexpr uint64_t kMaxBundleBytes = 256 << 20;  // the server's limit

struct Image {
  // The GNU build-id; for a file without one, the first 40 digits of the SHA-256 of its bytes,
  // which also identifies the build.
  std::string build_id;
  profile::SymbolTable symbols;  // without lines
  std::string bundle;            // the server's format
  std::string bundle_sha256;
};

// The build-id of the image in the ELF file `path`. Errors as ReadElfBuildId.
absl::StatusOr<std::string> IdentifyImage(const std::string& path);

// Reads the ELF file `path`, whose id is `build_id`. Deterministic: the same file gives the same
// bundle. Errors as ReadElfSymbols; RESOURCE_EXHAUSTED for a bundle above the server's limit.
absl::StatusOr<Image> ReadImage(const std::string& path, const std::string& build_id);

// Decodes the image of a symbol bundle. Errors as DecodeSymbolBundle.
absl::StatusOr<Image> ImageOfBundle(std::string bundle);

// Symbol bundles of images, made once per build-id and cached in a folder: reading the debug
// information of a large program takes long.

class ImageBundles {
 public:
  // `cache_folder` is created when needed; empty or not writable: bundles are cached only during
  // this object's lifetime.
  explicit ImageBundles(std::string cache_folder) : cache_folder_(std::move(cache_folder)) {}

  // The image in the ELF file `path`. `build_id` is the file's build-id if known, else empty.
  // Errors as ReadElfSymbols.
  absl::StatusOr<std::shared_ptr<const Image>> Load(const std::string& path,
                                                    const std::string& build_id);

  // The image with this build-id among the bundles made by the build (the outputs of `gprofhub
  // symbols`); null if none of the files is its bundle. Absent, empty and damaged files are
  // ignored.
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
  std::map<std::string, std::string> built_;  // build-ids of the build's bundles, by path
  // Only the last few: a build may have thousands of test binaries.
  std::map<std::string, std::shared_ptr<const Image>> recent_;  // by build-id
};

// ${XDG_CACHE_HOME:-~/.cache}/gprofhub/bundles; empty if neither is known.
std::string DefaultBundleFolder(const std::map<std::string, std::string>& environment);

// Caches the files it has read: a test's files are searched once per profile.
class ImageSearch {
 public:
  // `images`: files named by the user (--image), searched first.
  explicit ImageSearch(std::vector<std::string> images) : images_(std::move(images)) {}

  // The file with this build-id among the user's images, the test's executable and its runfiles.
  // `file_name` is the file's name when it ran, or empty. NOT_FOUND lists the places searched;
  // FAILED_PRECONDITION if the test has another build of a file with that name.
  absl::StatusOr<std::string> FindByBuildId(const std::string& build_id,
                                            const std::string& file_name,
                                            const TestAttempt& attempt);

  // Whether the file exists and has this build-id.
  bool IsBuild(const std::string& path, const std::string& build_id) {
    return BuildIdOf(path) == build_id;
  }

  // The test's own program, for profiles that do not name their program:
  // the test's executable if it is an ELF file, else the only user's image.
  absl::StatusOr<std::string> TestBinary(const TestAttempt& attempt);

  // The build-id of the test's own program; empty if it is absent, or if a later build overwrote
  // it.
  std::string TestBuildId(const TestAttempt& attempt);

 private:
  // Empty for a file that is absent, not an ELF file or without a build-id.
  const std::string& BuildIdOf(const std::string& path);

  std::vector<std::string> images_;
  std::map<std::string, std::string> build_ids_;              // by path
  std::map<std::string, std::vector<std::string>> runfiles_;  // by executable
};

}  // namespace gprofhub::ci
