// Options and results of backup and restore.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/records.h"

namespace gprofhub::store {

struct BackupOptions {
  Actor by;
  std::function<absl::Time()> now;
  std::function<void(absl::string_view what, uint64_t done, uint64_t all)> on_progress =
      [](absl::string_view, uint64_t, uint64_t) {};
};

struct BackupResult {
  uint64_t blobs = 0;
  uint64_t blob_bytes = 0;
  uint64_t archived = 0;  // of the blobs: their bytes are in the archive, not in the backup
  absl::Time begun;
};

}  // namespace gprofhub::store
