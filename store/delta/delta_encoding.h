// Delta encoding of old blobs: each is stored as the difference from an earlier blob of its series.
//
// Tests change little from commit to commit, and so do their profiles and their programs' symbols.
// A series is the bundles, the profiles or the results of one test on one configuration of one
// project, on all branches. It has a root, which is stored whole, and a base: the root, or a blob
// that is encoded against the root. All other blobs are encoded against the base
// (content_delta.h), never against each other, so reading a blob takes at most two further reads.
//
// Deltas grow as a series moves away from its base. Differences by chance, such as samples, do not
// depend on the base. So the size of each delta is compared with the smallest delta against the
// same base: when the sum of the excess reaches the size of the smallest, the next blob becomes the
// new base. This is ski rental: a new base is bought when its price was paid in rent (Karlin et
// al., Competitive snoopy caching, 1988). A new base whose delta against the root exceeds a quarter
// of its size is stored whole and becomes the new root.
//
// Targets are processed in the order of their ids, up to the first whose run is too young. The
// database keeps the last id. Each step is a transaction: a process that is killed leaves a
// consistent store, and the next one continues there. Uploads, queries and analyses wait for at
// most one step.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace gprofhub::store {

namespace sql {
class BlobBytes;
class Database;
}  // namespace sql

struct DeltaResult {
  uint64_t targets = 0;  // looked at
  uint64_t blobs = 0;    // encoded
  uint64_t bytes_before = 0;
  uint64_t bytes_after = 0;
};

struct DeltaOptions {
  // Minimum age of the runs whose blobs are encoded. Blobs of younger runs are read often: each
  // comparison reads the newest runs of the main branch.
  absl::Duration older_than = absl::Hours(7 * 24);
  uint32_t targets_at_once = 20;
  std::function<absl::Time()> now;
  // Called between the steps; may block. An error ends Encode().
  std::function<absl::Status(const DeltaResult& so_far)> pause = [](const DeltaResult&) {
    return absl::OkStatus();
  };
};

// A part of the store: store/store.h says what holds for all of them.
class DeltaEncoding {
 public:
  DeltaEncoding(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes);

  // Encodes the blobs of all targets that are old enough. UNAVAILABLE while a backup is being made.
  // Steps before an error remain in effect. Damaged blobs are skipped: an inspection reports them.
  absl::StatusOr<DeltaResult> Encode(const DeltaOptions& options) const;

 private:
  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<sql::BlobBytes> bytes_;
};

}  // namespace gprofhub::store
