// Where a command that works on the store itself finds it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "store/objects/object_store.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::cli {

struct StoreOptions {
  std::string data_dir;             // --data-dir
  std::string store;                // --store
  std::string archive;              // --archive
  uint32_t keep_segments_days = 7;  // --keep-segments
};

// Adds --data-dir and --store, which exclude each other.
void AddStoreOptions(CLI::App& command, StoreOptions& options);

// Registers the option of the archive's location.
void AddArchiveOption(CLI::App& command, StoreOptions& options);

// Registers --keep-segments, for commands that compact the archive.
void AddKeepSegmentsOption(CLI::App& command, StoreOptions& options);

// The archive's object store; null: not configured. Errors are those of OpenObjects.
absl::StatusOr<std::shared_ptr<store::ObjectStore>> OpenArchive(const StoreOptions& options);

// The argument of OpenStore: --store as it is, or "sqlite:" and the data directory, which is
// ${XDG_DATA_HOME:-~/.local/share}/gprofhub by default and is created if it does not exist.
// FAILED_PRECONDITION if it cannot be created or written, or if the home directory is unknown.
absl::StatusOr<std::string> StoreLocation(const StoreOptions& options);

}  // namespace gprofhub::cli
