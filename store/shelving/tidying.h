// Compaction: removes unreferenced blobs and segments from the archive.
//
// Garbage collection (store/upkeep/garbage.h) and repeated uploads remove the rows that reference a
// blob in a segment. A segment is immutable. So:
//
//   1. If less than half of a segment is referenced, that part is moved to a new segment, together
//      with the referenced parts of others. Until then both segments have it, and rows name one of
//      them.
//   2. A segment without any referenced blob is marked with the time. After the retention period of
//      segments its row is removed, and then the object. A backup that was made before the mark
//      references the segment: so segments are retained at least as long as backups.
//   3. Segments without a row that are older than a day are removed: a process ended after storing
//      them.
//
// Each step is a transaction. A killed process leaves a consistent store and archive.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/objects/object_store.h"
#include "store/shelving/boxes.h"

namespace gprofhub::store {

namespace sql {
class Database;
}  // namespace sql

// Result of compaction.
struct Tidied {
  uint64_t moved = 0;  // blobs moved into new segments
  uint64_t moved_bytes = 0;
  uint64_t unused = 0;   // segments marked
  uint64_t removed = 0;  // segments
  uint64_t removed_bytes = 0;
};

struct TidyOptions {
  // Retention of unreferenced segments.
  absl::Duration keep = absl::Hours(7 * 24);
  uint64_t box_bytes = kBoxBytes;
  uint32_t boxes_at_once = 200;
  std::function<absl::Time()> now;
  // Called between the steps; may block. An error ends the compaction.
  std::function<absl::Status()> pause = [] { return absl::OkStatus(); };
};

// A part of the store; store/store.h has the contract of all parts.
class Tidying {
 public:
  Tidying(std::shared_ptr<sql::Database> database, std::shared_ptr<ObjectStore> shelf)
      : database_(std::move(database)), shelf_(std::move(shelf)) {}

  // FAILED_PRECONDITION if no archive is configured, or if it is not writable for this store
  // (shelf_name.h). After an error, completed steps persist.
  absl::StatusOr<Tidied> Tidy(const TidyOptions& options) const;

 private:
  absl::Status Move(const TidyOptions& options, Tidied& tidied) const;
  absl::Status Mark(const TidyOptions& options, Tidied& tidied) const;
  absl::Status Remove(const TidyOptions& options, Tidied& tidied) const;
  absl::Status Sweep(const TidyOptions& options, Tidied& tidied) const;

  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<ObjectStore> shelf_;
};

}  // namespace gprofhub::store
