// Backups: `gprofhub admin backup` and `restore`.
//
// A backup is one file: the database of an embedded store, in which the bytes of all blobs are rows
// (store/sqlite/small_blobs.h), whatever their size. That of a PostgreSQL store has the same form:
// its rows are read in one REPEATABLE READ transaction. So there is one way to check a backup, no
// program of PostgreSQL's whose version must fit the server's is needed, no password stands on a
// command line, and a backup of either kind of store can be restored into either. SQLite, and not
// an archive's format: what is checked is the file itself, and not what it is unpacked to.
//
// The server may run and take uploads meanwhile. The rows are those of one moment. Blobs are copied
// after them: they are only ever added, and garbage collection waits for the backup
// (store/rows/backup_lease.h). So each blob that the rows name is there.
//
// A backup refers to archived blobs (store/archive/archiving.h) and does not contain them. Segments
// are immutable and are kept for some time after the store needs them, so a backup that is not
// older finds them. A store that was restored from it may read the archive, and writes there after
// taking it over (store/archive/archive_owner.h).
//
// A backup is written in a folder beside its place, checked as `gprofhub admin fsck` does it,
// synced, and then moved: a file of the name asked for is a whole and checked backup. What a backup
// that was killed leaves is a folder NAME.partial.XXXXXX, and nobody needs it.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "store/upkeep/backup_options.h"

namespace gprofhub::store {

// Copies the store at `location` to the file `destination`, which must not exist and which only its
// owner may read, and records in the store when that was. ALREADY_EXISTS; DATA_LOSS, naming what,
// if the store is damaged; the errors of OpenEngine, of the disk, and of the database. After an
// error there is no backup.
absl::StatusOr<BackupResult> MakeBackup(const std::string& location, const std::string& destination,
                                        const BackupOptions& options);

// Makes the store at `location` of the file `backup`, and brings its schema up to date.
// The directory of an embedded store must be empty or not exist; a database must be empty: else
// FAILED_PRECONDITION. NOT_FOUND if there is no backup; DATA_LOSS, naming what, if it is damaged.
// After an error there is no new store.
absl::StatusOr<BackupResult> RestoreBackup(const std::string& backup, const std::string& location,
                                           const BackupOptions& options);

}  // namespace gprofhub::store
