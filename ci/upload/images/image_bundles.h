// Symbol bundles of images, made once per build-id and cached in a folder: reading the debug
// information of a large program takes long.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ci/upload/images/image.h"

namespace gprofhub::ci {

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

}  // namespace gprofhub::ci
