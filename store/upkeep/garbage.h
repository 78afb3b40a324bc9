// Garbage collection of unreferenced blobs and files.
//
// The danger is an upload in progress. Its client asked which blobs the project lacks, need not
// send the others, and refers to these later. If one was removed in between, the upload fails. So a
// blob is removed in two steps:
//
//   1. Mark. A blob without references is marked with the time. From now on Blobs::FindToSend
//      includes it. An upload that asked before may still add a reference: that clears the mark.
//   2. Sweep. A blob that was marked for the grace period, and still has no references, is removed
//      with the projects' rights to it. Uploads last for ten minutes at most, so every upload that
//      asked before the mark has ended by then.
//
// Where blobs are files, there may also be files without a row: of an upload that was killed
// between its files and its rows. They are removed at the same age. A transaction that adds the row
// of a blob checks that its file exists (store/sqlite/blob_folder.h).
//
// Files that Bazel uploaded with its build events are removed when they were not touched for the
// grace period, and uploads without progress after an hour (store/transfers/transfer_blobs.h).
//
// Each step is a transaction with few rows. A killed process leaves a consistent store, and the
// next collection continues.
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

// Results of a collection, or of one with dry_run.
struct Collected {
  uint64_t marked = 0;   // blobs that will be removed after the grace period
  uint64_t waiting = 0;  // blobs that were marked before, within their grace period
  uint64_t blobs = 0;    // removed
  uint64_t blob_bytes = 0;
  uint64_t files = 0;  // removed that no row named
  uint64_t file_bytes = 0;
  uint64_t transfers = 0;  // removed files of Bazel
  uint64_t transfer_bytes = 0;
};

struct CollectOptions {
  bool dry_run = false;
  absl::Duration grace = absl::Hours(24);
  uint32_t rows_at_once = 500;
  std::function<absl::Time()> now;
  // Called between the steps; may block. An error ends the collection.
  std::function<absl::Status()> pause = [] { return absl::OkStatus(); };
};

// A part of the store: store/store.h documents what all parts guarantee.
class Garbage {
 public:
  Garbage(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes);

  // One whole collection. UNAVAILABLE during a backup. An error does not undo earlier steps.
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
