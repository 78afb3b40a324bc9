// Finds the blobs to archive, in the order of the targets that refer to them.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store {

struct DueBlob {
  BlobName name;
  uint64_t size = 0;
  int64_t target_id = 0;
};

// The blobs of the next page of targets.
struct DuePage {
  uint64_t targets = 0;  // 0: no further target is old enough
  int64_t last = 0;      // id of the last target
  std::vector<DueBlob> blobs;
};

// A blob is due with the newest target that refers to it: old blobs that were sent again recently
// are read as often as new ones.
class DueBlobs {
 public:
  // Targets are due up to the first whose run was received after `before`.
  DueBlobs(sql::Database& database, absl::Time before, uint32_t targets_at_once)
      : database_(database), before_(before), targets_at_once_(targets_at_once) {}

  absl::StatusOr<DuePage> After(int64_t target_id);

 private:
  absl::StatusOr<DuePage> FindIn(sql::Session& session, int64_t target_id);
  // Finds the newest targets of blobs that are not in `newest_`.
  absl::Status LearnNewest(sql::Session& session, const std::vector<DueBlob>& blobs);

  sql::Database& database_;
  const absl::Time before_;
  const uint32_t targets_at_once_;
  // Cache of the newest target of each blob. Every run of every test refers to a library's symbols,
  // and finding the newest reads all these rows.
  absl::flat_hash_map<BlobName, int64_t> newest_;
};

}  // namespace gprofhub::store
