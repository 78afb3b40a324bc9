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

namespace gprofhub::cli {
namespace {

absl::StatusOr<std::filesystem::path> DefaultDataDir() {
  // The XDG base directory specification says to ignore relative paths.
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
