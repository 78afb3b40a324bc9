// A cached bundle is a file "<build-id>.<format version>" with the bundle's SHA-256 as 64 digits,
// followed by its bytes: a file truncated by a full disk is detected and made anew.
#include "ci/upload/images/image_bundles.h"

#include <unistd.h>

#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/sha256.h"

namespace gprofhub::ci {
namespace {

namespace fs = std::filesystem;

constexpr size_t kRecentImages = 16;
constexpr size_t kDigestDigits = 64;

// Raise it when newer code makes other bundles of the same image.
constexpr int kFormatVersion = 3;

}  // namespace

std::string ImageBundles::CachePath(const std::string& build_id) const {
  return cache_folder_.empty() ? ""
                               : absl::StrCat(cache_folder_, "/", build_id, ".", kFormatVersion);
}

std::shared_ptr<const Image> ImageBundles::LoadCached(const std::string& build_id) const {
  const std::string path = CachePath(build_id);
  if (path.empty()) return nullptr;
  absl::StatusOr<std::string> bytes = base::ReadFile(path, kDigestDigits + kMaxBundleBytes);
  if (!bytes.ok() || bytes->size() <= kDigestDigits) return nullptr;
  const std::string sha256 = bytes->substr(0, kDigestDigits);
  absl::StatusOr<Image> image = ImageOfBundle(bytes->substr(kDigestDigits));
  if (!image.ok() || image->bundle_sha256 != sha256 || image->build_id != build_id) return nullptr;
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);  // marks the entry as used
  return std::make_shared<const Image>(*std::move(image));
}

void ImageBundles::Store(const Image& image) const {
  const std::string path = CachePath(image.build_id);
  if (path.empty()) return;
  std::error_code error;
  fs::create_directories(cache_folder_, error);
  // Written to a temporary file and renamed: another upload may run at the same time.
  const std::string temporary = absl::StrCat(path, ".", getpid(), ".tmp");
  std::ofstream file(temporary, std::ios::binary);
  file << image.bundle_sha256 << image.bundle;
  file.close();
  if (file) {
    fs::rename(temporary, path, error);
    if (!error) return;
  }
  fs::remove(temporary, error);
}

absl::StatusOr<std::shared_ptr<const Image>> ImageBundles::Load(const std::string& path,
                                                                const std::string& build_id) {
  absl::StatusOr<std::string> id = build_id.empty() ? IdentifyImage(path) : build_id;
  if (!id.ok()) return id.status();
  if (const auto recent = recent_.find(*id); recent != recent_.end()) return recent->second;
  std::shared_ptr<const Image> image = LoadCached(*id);
  if (image == nullptr) {
    absl::StatusOr<Image> made = ReadImage(path, *id);
    if (!made.ok()) return made.status();
    Store(*made);
    image = std::make_shared<const Image>(*std::move(made));
  }
  return Remember(std::move(image));
}

std::shared_ptr<const Image> ImageBundles::Remember(std::shared_ptr<const Image> image) {
  if (recent_.size() >= kRecentImages) recent_.clear();
  return recent_[image->build_id] = std::move(image);
}

std::shared_ptr<const Image> ImageBundles::FindBuilt(const std::vector<std::string>& files,
                                                     const std::string& build_id) {
  for (const std::string& file : files) {
    const auto known = built_.find(file);
    if (known != built_.end() && known->second != build_id) continue;
    if (const auto recent = recent_.find(build_id);
        known != built_.end() && recent != recent_.end()) {
      return recent->second;
    }
    built_[file] = "";
    absl::StatusOr<std::string> bytes = base::ReadFile(file, kMaxBundleBytes);
    if (!bytes.ok() || bytes->empty()) continue;
    absl::StatusOr<Image> image = ImageOfBundle(*std::move(bytes));
    if (!image.ok()) continue;
    built_[file] = image->build_id;
    const auto read = Remember(std::make_shared<const Image>(*std::move(image)));
    if (read->build_id == build_id) return read;
  }
  return nullptr;
}

void ImageBundles::RemoveUnused(fs::file_time_type time) const {
  std::error_code error;
  fs::directory_iterator entry(cache_folder_, error);
  if (error) return;
  for (; entry != fs::directory_iterator(); entry.increment(error)) {
    const fs::file_time_type used = entry->last_write_time(error);
    if (!error && used < time && entry->is_regular_file(error)) fs::remove(entry->path(), error);
  }
}

std::string DefaultBundleFolder(const std::map<std::string, std::string>& environment) {
  constexpr char kFolder[] = "/gprofhub/bundles";
  if (const auto cache = environment.find("XDG_CACHE_HOME");
      cache != environment.end() && !cache->second.empty()) {
    return cache->second + kFolder;
  }
  const auto home = environment.find("HOME");
  if (home == environment.end() || home->second.empty()) return "";
  return home->second + "/.cache" + kFolder;
}

}  // namespace gprofhub::ci
