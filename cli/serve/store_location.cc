#include "cli/serve/store_location.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_context.h"
#include "store/objects/place/open_objects.h"

namespace gprofhub::cli {
namespace {

absl::StatusOr<std::filesystem::path> DefaultDataDir() {
  // The XDG base directory specification requires that relative paths are ignored.
  const char* data_home = std::getenv("XDG_DATA_HOME");
  if (data_home != nullptr && data_home[0] == '/') {
    return std::filesystem::path(data_home) / "gprofhub";
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') {
    return absl::FailedPreconditionError(
        "HOME is not set, so that there is no default data directory: give --data-dir");
  }
  return std::filesystem::path(home) / ".local/share/gprofhub";
}

}  // namespace

void AddStoreOptions(CLI::App& command, StoreOptions& options) {
  CLI::Option* data_dir = command
                              .add_option("--data-dir", options.data_dir,
                                          "Folder of the embedded store (default: "
                                          "${XDG_DATA_HOME:-~/.local/share}/gprofhub)")
                              ->envname("GPROFHUB_DATA_DIR")
                              ->type_name("DIR");
  command
      .add_option("--store", options.store,
                  "The store in full: sqlite:DIR or postgresql://USER@HOST/DATABASE")
      ->envname("GPROFHUB_STORE")
      ->type_name("LOCATION")
      ->excludes(data_dir);
}

void AddArchiveOption(CLI::App& command, StoreOptions& options) {
  command
      .add_option("--archive", options.archive,
                  "Archive of old blobs: a folder, /PATH or file:PATH, or a bucket, "
                  "s3://BUCKET/PREFIX")
      ->envname("GPROFHUB_ARCHIVE")
      ->type_name("LOCATION");
}

void AddKeepSegmentsOption(CLI::App& command, StoreOptions& options) {
  command
      .add_option("--keep-segments", options.keep_segments_days,
                  "How long unneeded segments stay in the archive: at least as long as backups")
      ->envname("GPROFHUB_KEEP_SEGMENTS")
      ->type_name("DAYS")
      ->check(CLI::Range(0u, 36'500u))
      ->capture_default_str();
}

absl::StatusOr<std::shared_ptr<store::ObjectStore>> OpenArchive(const StoreOptions& options) {
  if (options.archive.empty()) return nullptr;
  absl::StatusOr<std::unique_ptr<store::ObjectStore>> archive = store::OpenObjects(options.archive);
  if (!archive.ok()) return base::WithContext(archive.status(), "--archive");
  return std::shared_ptr<store::ObjectStore>(*std::move(archive));
}

absl::StatusOr<std::string> StoreLocation(const StoreOptions& options) {
  if (!options.store.empty()) return options.store;
  std::filesystem::path dir = options.data_dir;
  if (dir.empty()) {
    absl::StatusOr<std::filesystem::path> default_dir = DefaultDataDir();
    if (!default_dir.ok()) return default_dir.status();
    dir = *std::move(default_dir);
  }
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) {
    return absl::FailedPreconditionError(
        absl::StrCat("the data directory ", dir.string(), " cannot be made: ", error.message()));
  }
  if (access(dir.c_str(), R_OK | W_OK | X_OK) != 0) {
    return absl::FailedPreconditionError(absl::StrCat("the data directory ", dir.string(),
                                                      " is not writable: ", std::strerror(errno)));
  }
  return absl::StrCat("sqlite:", dir.string());
}

}  // namespace gprofhub::cli
