// A cached bundle is a file "<build-id>.<format version>" that holds the
// bundle's SHA-256 as 64 digits and then its bytes: a file cut off by a full
// disk is noticed and made anew.
#include "ci/upload/images/image_bundles.h"

#include <unistd.h>

#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/sha256.h"
#include "profile/code/code_digests.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/image/read_image.h"

namespace gprofhub::ci {
namespace {

namespace fs = std::filesystem;

constexpr size_t kRecentImages = 16;
constexpr size_t kDigestDigits = 64;
constexpr uint64_t kMaxBundleBytes = 256 << 20;  // what the server takes
constexpr uint64_t kMaxImageBytes = 4ULL << 30;  // of a file hashed for want of a build-id

// To be changed when newer code makes other bundles of the same image.
constexpr int kFormatVersion = 3;

// Line rows are most of a table, and only the bundle needs them.
void DropLines(profile::SymbolTable& symbols) {
  std::vector<profile::LineRow>().swap(symbols.lines);
  std::vector<profile::LineRow>().swap(symbols.call_lines);
}

absl::StatusOr<std::string> IdentifyImage(const std::string& path) {
  absl::StatusOr<std::string> build_id = profile::ReadElfBuildId(path);
  if (!build_id.ok() || !build_id->empty()) return build_id;
  const absl::StatusOr<std::string> bytes = base::ReadFile(path, kMaxImageBytes);
  if (!bytes.ok()) return bytes.status();
  return base::Sha256Hex(*bytes).substr(0, 40);
}

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
  auto image = std::make_shared<Image>();
  image->bundle_sha256 = bytes->substr(0, kDigestDigits);
  bytes->erase(0, kDigestDigits);
  image->bundle = *std::move(bytes);
  if (base::Sha256Hex(image->bundle) != image->bundle_sha256) return nullptr;
  absl::StatusOr<profile::SymbolTable> symbols = profile::DecodeSymbolBundle(image->bundle);
  if (!symbols.ok() || symbols->build_id != build_id) return nullptr;
  image->build_id = build_id;
  image->symbols = *std::move(symbols);
  DropLines(image->symbols);
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);  // it is in use
  return image;
}

void ImageBundles::Store(const Image& image) const {
  const std::string path = CachePath(image.build_id);
  if (path.empty()) return;
  std::error_code error;
  fs::create_directories(cache_folder_, error);
  // Written aside and renamed: another upload may run at the same time.
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
    profile::ElfReadOptions options;
    options.with_call_lines = true;
    options.with_toolchains = true;
    absl::StatusOr<profile::SymbolTable> symbols = profile::ReadElfSymbols(path, options);
    if (!symbols.ok()) return symbols.status();
    if (absl::Status status = profile::AddCodeDigests(path, *symbols); !status.ok()) return status;
    auto made = std::make_shared<Image>();
    made->build_id = *id;
    made->symbols = *std::move(symbols);
    made->symbols.build_id = *id;
    made->bundle = profile::EncodeSymbolBundle(made->symbols);
    if (made->bundle.size() > kMaxBundleBytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat(path, ": its symbols take ", made->bundle.size(), " bytes; a server takes ",
                       kMaxBundleBytes, ". Build with -g1 instead of -g."));
    }
    made->bundle_sha256 = base::Sha256Hex(made->bundle);
    DropLines(made->symbols);
    Store(*made);
    image = std::move(made);
  }
  if (recent_.size() >= kRecentImages) recent_.clear();
  return recent_[*id] = image;
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
