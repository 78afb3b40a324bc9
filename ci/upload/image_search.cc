#include "ci/upload/image_search.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "ci/upload/results/test_events.h"
#include "ci/upload/results/testlogs.h"
#include "profile/code/code_digests.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/elf/file.h"
#include "profile/elf/read_image.h"

namespace gprofhub::ci {

namespace {

constexpr uint64_t kMaxImageBytes = 4ULL << 30;  // of a file hashed without a build-id

// Line rows are most of a table, and only the bundle needs them.
void DropLines(profile::SymbolTable& symbols) {
  std::vector<profile::LineRow>().swap(symbols.lines);
  std::vector<profile::LineRow>().swap(symbols.call_lines);
}

}  // namespace

absl::StatusOr<std::string> IdentifyImage(const std::string& path) {
  absl::StatusOr<std::string> build_id = profile::ReadElfBuildId(path);
  if (!build_id.ok() || !build_id->empty()) return build_id;
  ASSIGN_OR_RETURN(const std::string bytes, base::ReadFile(path, kMaxImageBytes));
  return base::Sha256Hex(bytes).substr(0, 40);
}

absl::StatusOr<Image> ReadImage(const std::string& path, const std::string& build_id) {
  profile::ElfReadOptions options;
  options.with_call_lines = true;
  options.with_toolchains = true;
  ASSIGN_OR_RETURN(profile::SymbolTable symbols, profile::ReadElfSymbols(path, options));
  RETURN_IF_ERROR(profile::AddCodeDigests(path, symbols));
  Image image;
  image.build_id = build_id;
  image.symbols = std::move(symbols);
  image.symbols.build_id = build_id;
  image.bundle = profile::EncodeSymbolBundle(image.symbols);
  if (image.bundle.size() > kMaxBundleBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat(path, ": symbols too large: ", image.bundle.size(), " bytes; the limit is ",
                     kMaxBundleBytes, "; build with -g1 instead of -g"));
  }
  image.bundle_sha256 = base::Sha256Hex(image.bundle);
  DropLines(image.symbols);
  return image;
}

absl::StatusOr<Image> ImageOfBundle(std::string bundle) {
  ASSIGN_OR_RETURN(profile::SymbolTable symbols, profile::DecodeSymbolBundle(bundle));
  Image image;
  image.build_id = symbols.build_id;
  image.symbols = std::move(symbols);
  DropLines(image.symbols);
  image.bundle_sha256 = base::Sha256Hex(bundle);
  image.bundle = std::move(bundle);
  return image;
}

// A cached bundle is a file "<build-id>.<format version>" with the bundle's SHA-256 as 64 digits,
// followed by its bytes: a file truncated by a full disk is detected and made anew.

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
  ASSIGN_OR_RETURN(std::string id, build_id.empty() ? IdentifyImage(path) : build_id);
  if (const auto recent = recent_.find(id); recent != recent_.end()) return recent->second;
  std::shared_ptr<const Image> image = LoadCached(id);
  if (image == nullptr) {
    ASSIGN_OR_RETURN(Image made, ReadImage(path, id));
    Store(made);
    image = std::make_shared<const Image>(std::move(made));
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

namespace {

// Limit of a search: runfiles may contain whole SDKs.
constexpr size_t kMaxRunfiles = 50'000;

bool IsElfFile(const std::string& path) {
  std::error_code error;
  // A pipe or device named in a manifest must not be opened.
  if (!fs::is_regular_file(path, error)) return false;
  return profile::IsElf(base::ReadBeginning(path, profile::kElfMagicBytes));
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Paths named in "<executable>.runfiles_manifest", else the files below
// "<executable>.runfiles".
std::vector<std::string> ListRunfiles(const std::string& executable) {
  std::vector<std::string> paths;
  if (std::ifstream manifest(executable + ".runfiles_manifest"); manifest) {
    // A line is "<runfiles path> <real path>"; the latter may be absent (an
    // empty file).
    for (std::string line; paths.size() < kMaxRunfiles && std::getline(manifest, line);) {
      const size_t space = line.find(' ');
      if (space != std::string::npos && space + 1 < line.size()) {
        paths.push_back(line.substr(space + 1));
      }
    }
    return paths;
  }
  std::error_code error;
  fs::recursive_directory_iterator entry(executable + ".runfiles", error);
  if (error) return paths;
  for (; entry != fs::recursive_directory_iterator() && paths.size() < kMaxRunfiles;
       entry.increment(error)) {
    paths.push_back(entry->path());
  }
  return paths;
}

}  // namespace

const std::string& ImageSearch::BuildIdOf(const std::string& path) {
  const auto known = build_ids_.find(path);
  if (known != build_ids_.end()) return known->second;
  std::string build_id;
  if (IsElfFile(path)) {
    // A damaged file among the runfiles is not the wanted one.
    if (absl::StatusOr<std::string> id = profile::ReadElfBuildId(path); id.ok())
      build_id = *std::move(id);
  }
  return build_ids_[path] = std::move(build_id);
}

absl::StatusOr<std::string> ImageSearch::FindByBuildId(const std::string& build_id,
                                                       const std::string& file_name,
                                                       const TestAttempt& attempt) {
  for (const std::string& path : images_) {
    if (BuildIdOf(path) == build_id) return path;
  }
  std::string other_build;  // another build of the program, by its file name
  const auto is_it = [&](const std::string& path) {
    if (BuildIdOf(path) == build_id) return true;
    if (other_build.empty() && BaseName(path) == file_name && IsElfFile(path)) other_build = path;
    return false;
  };
  for (const std::string& path : attempt.executables) {
    if (is_it(path)) return path;
  }
  const bool is_own_binary = !other_build.empty();
  size_t runfiles_seen = 0;
  for (const std::string& executable : attempt.executables) {
    const auto [entry, is_new] = runfiles_.try_emplace(executable);
    if (is_new) entry->second = ListRunfiles(executable);
    runfiles_seen += entry->second.size();
    for (const std::string& path : entry->second) {
      if (is_it(path)) return path;
    }
  }
  if (!other_build.empty()) {
    const std::string what =
        is_own_binary ? absl::StrCat("the binary of ", attempt.label) : file_name;
    return absl::FailedPreconditionError(absl::StrCat(what, " was rebuilt after the test ran (",
                                                      other_build, " is not build-id ", build_id,
                                                      "); upload before building anything else"));
  }
  return absl::NotFoundError(absl::StrCat(
      "no file with build-id ", build_id, " found (searched: ",
      attempt.executables.empty() ? "no executable of the test"
                                  : absl::StrCat("the test's executable ", attempt.executables[0]),
      ", ", runfiles_seen, " runfiles and ", images_.size(),
      " --image files): upload before anything is rebuilt, or pass the file with --image"));
}

std::string ImageSearch::TestBuildId(const TestAttempt& attempt) {
  for (const std::string& path : attempt.executables) {
    if (!IsElfFile(path)) continue;
    return IsOfLaterBuild(attempt, path) ? "" : BuildIdOf(path);
  }
  return "";
}

absl::StatusOr<std::string> ImageSearch::TestBinary(const TestAttempt& attempt) {
  for (const std::string& path : attempt.executables) {
    if (IsElfFile(path)) return path;
  }
  if (images_.size() == 1) return images_[0];
  return absl::NotFoundError(absl::StrCat(
      "cannot determine the program of the profile: its file name has no build-id, and ",
      attempt.executables.empty()
          ? "the test has no executable on this machine"
          : absl::StrCat(attempt.executables[0], " is missing or not an ELF file"),
      "; pass the program with --image"));
}

}  // namespace gprofhub::ci
