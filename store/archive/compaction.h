// Compaction: removes segments of which little or nothing is needed.
//
// Blobs are removed (store/upkeep/garbage.h) or sent again, and the rows that refer to their place
// in a segment with them. Segments are immutable. So:
//
//   1. Of a segment of which less than half is needed, the needed blobs are copied to a new
//   segment,
//      together with those of other such segments. Both segments have them until the rows change.
//   2. A segment of which nothing is needed is marked with the time. When the retention of segments
//      has passed since, its row is removed, and then the object. A backup that was made before the
//      mark has rows that refer to the segment: so segments are kept at least as long as backups.
//   3. Segments without a row that are older than a day are removed: a process ended while writing
//      them.
//
// Each step is a transaction. A process that is killed leaves a consistent store and archive.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/archive/segments.h"
#include "store/objects/object_store.h"

namespace gprofhub::store {

namespace sql {
class Database;
}  // namespace sql

// Result of Compact().
struct CompactionResult {
  uint64_t moved = 0;  // blobs, into new segments
  uint64_t moved_bytes = 0;
  uint64_t unused = 0;   // segments that were marked
  uint64_t removed = 0;  // segments
  uint64_t removed_bytes = 0;
};

struct CompactionOptions {
  // How long a segment is kept after nothing of it is needed.
  absl::Duration keep = absl::Hours(7 * 24);
  uint64_t segment_bytes = kSegmentBytes;
  uint32_t segments_at_once = 200;
  std::function<absl::Time()> now;
  // Called between the steps; may block. An error ends Compact().
  std::function<absl::Status()> pause = [] { return absl::OkStatus(); };
};

// A part of the store (store/store.h).
class Compaction {
 public:
  Compaction(std::shared_ptr<sql::Database> database, std::shared_ptr<ObjectStore> archive)
      : database_(std::move(database)), archive_(std::move(archive)) {}

  // FAILED_PRECONDITION without an archive, or if the store does not own it (archive_owner.h).
  // Steps before an error remain in effect.
  absl::StatusOr<CompactionResult> Compact(const CompactionOptions& options) const;

 private:
  absl::Status Move(const CompactionOptions& options, CompactionResult& compacted) const;
  absl::Status Mark(const CompactionOptions& options, CompactionResult& compacted) const;
  absl::Status Remove(const CompactionOptions& options, CompactionResult& compacted) const;
  absl::Status Sweep(const CompactionOptions& options, CompactionResult& compacted) const;

  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<ObjectStore> archive_;
};

}  // namespace gprofhub::store
