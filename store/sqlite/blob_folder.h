// Blobs as files, by the hash of their bytes: DIRECTORY/blobs/ab/cdef….
//
// A file is written to DIRECTORY/blobs/incoming/, synced, and moved to its place. Then its
// directory is synced. Only then may a row name it. If a transaction fails after the move, the file
// is unreferenced: the thread that moved it removes it, and garbage collection removes leftovers of
// killed processes (store/garbage.h). Both hold the database's write lock while they look
// for a row and remove the file; a transaction that adds a row holds it while it checks that the
// file exists. So no row loses its file.
//
// A sync waits for the disk. An upload of many blobs waits twice in total: its files are synced
// together, by a sync of the whole file system, and so are the moves. An upload of a few syncs only
// its own files, because it would wait for all other writers' bytes otherwise.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sqlite {

// Maximum wait of a statement for another process's transaction.
inline constexpr int kBusyTimeoutMs = 30000;

// Creates the directory, with its parents, and an empty file for its database, unless they exist.
// Only their owner may read them, as all files below. FAILED_PRECONDITION if that is not permitted.
absl::Status MakeStoreFolder(const std::string& directory);

// Thread-safe, also across processes.
class BlobFolder {
 public:
  // Creates the folders. Leftovers of an earlier process in incoming/ are removed, unless another
  // process has the folder open.
  static absl::StatusOr<BlobFolder> Open(const std::string& directory);

  // Makes all blobs durable, or none. RESOURCE_EXHAUSTED if the disk is full.
  absl::Status Add(absl::Span<const Blob* const> blobs) const;
  // Returns the bytes, unchecked. NOT_FOUND.
  absl::StatusOr<std::string> Read(const BlobName& name) const;

  // Part 0 is incoming/, and all files that do not belong into blobs/. Part 1 + n are the files of
  // blobs whose name begins with the byte n.
  static constexpr int kParts = 257;
  absl::StatusOr<std::vector<sql::LooseBytes>> List(int part) const;
  // Removes the file of the blob, unless it does not exist or was changed since.
  absl::StatusOr<sql::RemovedBytes> Remove(const BlobName& name, absl::Time changed_before) const;
  absl::StatusOr<sql::RemovedBytes> RemoveIncoming(absl::Time changed_before) const;

 private:
  // For each folder of blobs: whether this process has synced its entry.
  using KnownHomes = std::array<std::atomic<bool>, 256>;

  BlobFolder(std::string directory, base::FileDescriptor lock)
      : directory_(std::move(directory)),
        known_homes_(std::make_unique<KnownHomes>()),
        lock_(std::move(lock)) {}

  // Durably only if `sync`.
  absl::Status MakeHome(const std::string& home, bool sync) const;

  std::string directory_;
  std::unique_ptr<KnownHomes> known_homes_;
  base::FileDescriptor lock_;  // shared lock on incoming/ while open
};

// As BlobFolder::Add for one blob, unless its file exists.
absl::Status EnsureBlobFile(const std::string& directory, const Blob& blob);

// For a copy that has no reader until it is complete: writes the file of a blob without syncing it,
// and syncs the whole file system that the directory is on.
absl::Status WriteBlobFile(const std::string& directory, const Blob& blob);
absl::Status SyncFileSystem(const std::string& directory);

// A copy of a database under concurrent writes.

// The database's file in a store's directory.
inline constexpr absl::string_view kDatabaseFile = "gprofhub.db";
std::string DatabaseFile(const std::string& directory);

// Copies a snapshot of the database in the file `from` to the file `to`, which must not exist: by
// SQLite's backup interface, within one read transaction, so that writers neither wait nor force a
// restart. Source: https://www.sqlite.org/c3ref/backup_finish.html. Calls `pulse` now and then; an
// error of it ends the copy. NOT_FOUND if `from` does not exist; DATA_LOSS if it is not a database.
absl::Status CopyDatabase(const std::string& from, const std::string& to,
                          const std::function<absl::Status()>& pulse);

// Turns the directory's database into one file without a log, readable on read-only media. The
// database must not be open elsewhere.
absl::Status MakeSingleFile(const std::string& directory);

// Releases the space of deleted rows. The database must not be open elsewhere.
absl::Status Compact(const std::string& directory);

// Errors of the disk and of SQLite, with separate texts for the operator and for clients.

// RESOURCE_EXHAUSTED: the disk of `directory` is full, with the remedy.
absl::Status DiskFull(absl::string_view directory, absl::string_view detail);

// The error, which names files, with another text for clients (base/status.h).
absl::Status Hidden(absl::Status status);

}  // namespace gprofhub::store::sqlite
