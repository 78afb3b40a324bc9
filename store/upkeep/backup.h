// Backups: `gprofhub admin backup` and `restore`.
//
// A backup is a folder in the form of an embedded store: gprofhub.db and blobs/. That of a
// PostgreSQL store has the same form: its rows are read in one REPEATABLE READ transaction. So
// there is one way to check a backup, no program of PostgreSQL's whose version must fit the
// server's is needed, no password stands on a command line, and a backup of either kind of store
// can be restored into either.
//
// The server may run and take uploads meanwhile. The rows are those of one moment. Blobs are copied
// after them: they are only ever added, and garbage collection waits for the backup
// (store/upkeep/backup_lease.h). So each blob that the rows name is there.
//
// A backup is written under another name beside its own, synced, checked as `gprofhub admin fsck`
// does it, and then renamed: a folder of the name asked for is a whole and checked backup. What a
// backup that was killed leaves is named NAME.partial.XXXXXX, and nobody needs it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/records.h"

namespace gprofhub::store {

struct BackupOptions {
  Actor by;
  std::function<absl::Time()> now;
  std::function<void(absl::string_view what, uint64_t done, uint64_t all)> on_progress =
      [](absl::string_view, uint64_t, uint64_t) {};
};

struct BackupResult {
  uint64_t blobs = 0;
  uint64_t blob_bytes = 0;
  absl::Time begun;
};

// Copies the store at `location` to the folder `destination`, which must not exist, and records in
// the store when that was. ALREADY_EXISTS; DATA_LOSS, naming what, if the store is damaged; the
// errors of OpenEngine, of the disk, and of the database. After an error there is no backup.
absl::StatusOr<BackupResult> MakeBackup(const std::string& location, const std::string& destination,
                                        const BackupOptions& options);

// Makes the store at `location` of the backup in folder `backup`, and brings its schema up to date.
// The directory of an embedded store must be empty or not exist; a database must be empty: else
// FAILED_PRECONDITION. NOT_FOUND if there is no backup; DATA_LOSS, naming what, if it is damaged.
// After an error there is no new store.
absl::StatusOr<BackupResult> RestoreBackup(const std::string& backup, const std::string& location,
                                           const BackupOptions& options);

}  // namespace gprofhub::store
