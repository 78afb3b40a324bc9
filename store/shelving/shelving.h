// Archiving: moves old bytes out of the database to cold storage.
//
// A database of terabytes is slow to copy and to restore, and most of its bytes are never read. So
// blobs whose runs arrived more than a week ago are collected in segments (box_format.h) of about
// 16 MiB in an archive: a bucket of an object store, or a folder (store/objects/). Only whole blobs
// are archived. Packed blobs (store/packing/packing.h) stay in the database; their base may be
// archived. So a store with an archive archives blobs no later than packing would reach them, and
// packs nothing: whole blobs in an archive cost less than packed ones in a database.
//
// A segment is built and made durable in the archive. Then one transaction adds its row and the
// places of its blobs, and removes the bytes from the database. So readers find one or the other. A
// process that ends in between leaves a segment without a row; compaction removes it a day later
// (tidying.h). Targets are processed in the order of their ids, up to the first that is younger
// than `older_than`; the database records the progress in the same transaction.
//
// Sending an archived blob again makes it whole, as with a packed one: its copy in the segment is
// unreferenced then.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/objects/object_store.h"
#include "store/records/records.h"
#include "store/shelving/boxes.h"

namespace gprofhub::store {

namespace sql {
class BlobBytes;
class Database;
}  // namespace sql

// Result of archiving.
struct Shelved {
  uint64_t targets = 0;  // examined
  uint64_t boxes = 0;
  uint64_t blobs = 0;
  uint64_t bytes = 0;  // of the archived blobs
};

struct ShelveOptions {
  // Restarts with the oldest target: an earlier round skipped blobs that a newer run named, and
  // that run may have been deleted since.
  bool from_start = false;
  // Minimum age of an archived run.
  absl::Duration older_than = absl::Hours(7 * 24);
  // Leaves blobs that do not fill a segment until more are due: otherwise each round would leave a
  // small segment.
  bool only_full = false;
  uint64_t box_bytes = kBoxBytes;
  uint32_t targets_at_once = 100;
  std::function<absl::Time()> now;
  // Called between the steps; may block. An error ends the archiving.
  std::function<absl::Status(const Shelved& so_far)> pause = [](const Shelved&) {
    return absl::OkStatus();
  };
};

// Result of restoring from the archive.
struct BroughtBack {
  uint64_t boxes = 0;
  uint64_t blobs = 0;
  uint64_t bytes = 0;
  uint64_t damaged = 0;  // blobs that stay archived because their bytes are missing or altered
};

struct BringBackOptions {
  std::function<absl::Time()> now;
  std::function<absl::Status(const BroughtBack& so_far)> pause = [](const BroughtBack&) {
    return absl::OkStatus();
  };
};

// A part of the store; store/store.h has the contract of all parts. Without an archive (null) its
// methods return FAILED_PRECONDITION.
class Shelving {
 public:
  Shelving(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes,
           std::shared_ptr<ObjectStore> shelf);

  bool has_shelf() const { return shelf_ != nullptr; }

  // Archives all due blobs. UNAVAILABLE while a backup is being made; FAILED_PRECONDITION if the
  // archive is another store's (shelf_name.h). After an error, completed steps persist. A damaged
  // blob is left as it is; the inspection reports it.
  absl::StatusOr<Shelved> Shelve(const ShelveOptions& options) const;

  // Makes all archived blobs whole, so that the store no longer needs the archive. Segments stay in
  // the archive: backups may refer to them. After an error, completed steps persist.
  absl::StatusOr<BroughtBack> BringBack(const BringBackOptions& options, const Actor& by) const;

  // Makes the archive this store's own, for a store restored from a backup (shelf_name.h).
  absl::Status TakeOver(const Actor& by, absl::Time now) const;

 private:
  struct Step;
  // Builds one segment. Returns the number of its blobs and their bytes.
  absl::StatusOr<Shelved> FillOne(const ShelveOptions& options, const Step& step) const;
  absl::StatusOr<BroughtBack> EmptyOne(const BoxRow& box) const;

  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<sql::BlobBytes> bytes_;
  std::shared_ptr<ObjectStore> shelf_;
};

}  // namespace gprofhub::store
