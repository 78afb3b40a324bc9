// Garbage collection: blobs and files that nobody refers to.
//
// The danger is an upload under way. It asked which blobs the project lacks, was told that it need
// not send some, and refers to these later. If one was removed in between, the upload fails. So a
// blob goes in two steps:
//
//   1. Mark. A blob without references is marked with the time. Whoever asks from now on is told
//      to send it (Blobs::FindToSend). An upload that was told otherwise may still refer to it:
//      that ends the mark.
//   2. Sweep. A blob that was marked for the time of grace, and still has no references, is removed
//      with the projects' rights to it. Uploads last for ten minutes at most, so none is under way
//      by then that asked before the mark.
//
// Where blobs are files, there may also be files that no row names: of an upload that was killed
// between its files and its rows. They are removed at the same age. Whoever adds the row of a blob
// sees to it that its file is there (store/sqlite/blob_folder.h).
//
// What Bazel handed over beside its build events goes when nobody has touched it for the time of
// grace, and what came of an upload that does not go on after an hour
// (store/transfers/transfer_blobs.h).
//
// Each step is a transaction with few rows. A process that is killed leaves a consistent store, and
// the next one goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/records/records.h"

namespace gprofhub::store {

namespace sql {
class BlobBytes;
class Database;
}  // namespace sql

// What a collection did, or with dry_run would do.
struct Collected {
  uint64_t marked = 0;   // blobs: they go after the time of grace
  uint64_t waiting = 0;  // blobs that were marked before, and whose time of grace is not over
  uint64_t blobs = 0;    // removed
  uint64_t blob_bytes = 0;
  uint64_t files = 0;  // removed that no row named
  uint64_t file_bytes = 0;
  uint64_t transfers = 0;  // files that Bazel handed over, removed
  uint64_t transfer_bytes = 0;
};

struct CollectOptions {
  bool dry_run = false;
  absl::Duration grace = absl::Hours(24);
  uint32_t rows_at_once = 500;
  std::function<absl::Time()> now;
  // Is called between the steps: it may wait for a while. An error ends the collection.
  std::function<absl::Status()> pause = [] { return absl::OkStatus(); };
};

// A part of the store: store/store.h says what holds for all of them.
class Garbage {
 public:
  Garbage(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes);

  // One whole collection. UNAVAILABLE while a backup is being made. What was done before an error
  // stays done.
  absl::StatusOr<Collected> Collect(const CollectOptions& options, const Actor& by) const;

 private:
  absl::Status Mark(const CollectOptions& options, Collected& collected) const;
  absl::Status Sweep(const CollectOptions& options, const Actor& by, Collected& collected) const;
  absl::Status RemoveFiles(const CollectOptions& options, Collected& collected) const;
  absl::Status RemoveTransfers(const CollectOptions& options, Collected& collected) const;

  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<sql::BlobBytes> bytes_;
};

}  // namespace gprofhub::store
