// Which blobs are to be shelved, in the order of the targets that name them.
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

// The blobs of the next targets.
struct DuePage {
  uint64_t targets = 0;  // 0: no further one is old enough
  int64_t last = 0;      // the last of them
  std::vector<DueBlob> blobs;
};

// A blob is due with the newest target that names it: what is old and was sent again lately is read
// as often as what is young.
class DueBlobs {
 public:
  // Targets whose runs came after `before` are not due, nor are those behind the first such.
  DueBlobs(sql::Database& database, absl::Time before, uint32_t targets_at_once)
      : database_(database), before_(before), targets_at_once_(targets_at_once) {}

  absl::StatusOr<DuePage> After(int64_t target_id);

 private:
  absl::StatusOr<DuePage> FindIn(sql::Session& session, int64_t target_id);
  // Learns of those that are not known yet.
  absl::Status LearnNewest(sql::Session& session, const std::vector<DueBlob>& blobs);

  sql::Database& database_;
  const absl::Time before_;
  const uint32_t targets_at_once_;
  // The newest targets that name blobs. A library's symbols are named by every run of every test,
  // and to find the newest of these takes a look at each: so it is done once.
  absl::flat_hash_map<BlobName, int64_t> newest_;
};

}  // namespace gprofhub::store
