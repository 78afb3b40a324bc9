// Archiving: moves the bytes of old blobs out of the database, to cheaper storage.
//
// A database of terabytes is slow to copy and to restore, and most of its bytes are never read. So
// blobs of runs that are older than a week are written to segments of some 16 MiB
// (segment_format.h) in an archive: a bucket of an object store, or a folder (store/objects/).
// Only whole blobs are archived. Deltas (store/delta/delta_encoding.h) stay in the database; their
// bases may be archived. A server with an archive makes no deltas, unless it archives later than it
// would encode: whole blobs in an archive cost less than deltas in a database.
//
// A segment is written to the archive until it is durable there. Then one transaction adds the rows
// of the segment and of its blobs, and removes the bytes from the database. Readers find either. A
// process that ends in between leaves a segment without a row; compaction removes it a day later
// (compaction.h). Targets are processed in the order of their ids, up to the first whose run is too
// young. The same transaction keeps the last id.
//
// An archived blob that is sent again becomes whole, as a delta does: its place in the segment is
// no longer needed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/archive/segments.h"
#include "store/objects/object_store.h"
#include "store/records/records.h"

namespace gprofhub::store {

namespace sql {
class BlobBytes;
class Database;
}  // namespace sql

// Result of Archive().
struct ArchiveResult {
  uint64_t targets = 0;  // looked at
  uint64_t segments = 0;
  uint64_t blobs = 0;
  uint64_t bytes = 0;  // of the blobs
};

struct ArchiveOptions {
  // Starts with the oldest target again. Archives blobs that an earlier round left because a newer
  // run referred to them, if that run was deleted since.
  bool from_start = false;
  // Minimum age of the runs whose blobs are archived.
  absl::Duration older_than = absl::Hours(7 * 24);
  // Writes full segments only. Otherwise each round would leave a small segment.
  bool only_full = false;
  uint64_t segment_bytes = kSegmentBytes;
  uint32_t targets_at_once = 100;
  std::function<absl::Time()> now;
  // Called between the steps; may block. An error ends Archive().
  std::function<absl::Status(const ArchiveResult& so_far)> pause = [](const ArchiveResult&) {
    return absl::OkStatus();
  };
};

// Result of BringBack().
struct BroughtBack {
  uint64_t segments = 0;
  uint64_t blobs = 0;
  uint64_t bytes = 0;
  uint64_t damaged = 0;  // blobs that stay where they are said to be: their bytes are not there
};

struct BringBackOptions {
  std::function<absl::Time()> now;
  std::function<absl::Status(const BroughtBack& so_far)> pause = [](const BroughtBack&) {
    return absl::OkStatus();
  };
};

// A part of the store (store/store.h). Without an archive (null) its methods are
// FAILED_PRECONDITION.
class Archiving {
 public:
  Archiving(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes,
            std::shared_ptr<ObjectStore> archive);

  bool has_archive() const { return archive_ != nullptr; }

  // Archives the blobs of all targets that are old enough. UNAVAILABLE while a backup is being
  // made; FAILED_PRECONDITION if the archive belongs to another store (archive_owner.h). Steps
  // before an error remain in effect. Damaged blobs are skipped: an inspection reports them.
  absl::StatusOr<ArchiveResult> Archive(const ArchiveOptions& options) const;

  // Moves all archived blobs back into the database, so that the store no longer needs an archive.
  // Segments stay in the archive: backups may refer to them. Steps before an error remain in
  // effect.
  absl::StatusOr<BroughtBack> BringBack(const BringBackOptions& options, const Actor& by) const;

  // Makes a store that was restored from a backup the owner of its archive (archive_owner.h).
  absl::Status TakeOver(const Actor& by, absl::Time now) const;

 private:
  struct Step;
  // Writes one segment. Returns the number of its blobs, and their bytes.
  absl::StatusOr<ArchiveResult> FillOne(const ArchiveOptions& options, const Step& step) const;
  absl::StatusOr<BroughtBack> EmptyOne(const SegmentRow& segment) const;

  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<sql::BlobBytes> bytes_;
  std::shared_ptr<ObjectStore> archive_;
};

}  // namespace gprofhub::store
