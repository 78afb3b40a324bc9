// Backups: `gprofhub admin backup` and `restore`.
//
// A backup is one file: the database of an embedded store, in which the bytes of all blobs are rows
// (store/sqlite/small_blobs.h), regardless of size. A backup of a PostgreSQL store has the same
// form: its rows are read in one REPEATABLE READ transaction. So there is one way to check a
// backup, it does not depend on PostgreSQL's client programs and their versions, no password
// appears on a command line, and a backup of either kind of store can be restored into either.
// SQLite, and not an archive format: the check covers the file itself, not an unpacked copy.
//
// The server may run and take uploads meanwhile. The rows are one snapshot. Blobs are copied after
// them: they are append-only, and garbage collection waits for the backup
// (store/rows/backup_lease.h). So every blob that the rows name exists.
//
// Archived blobs (store/archive/archiving.h) are only referenced by a backup: durability there is
// the archive's purpose. A segment is immutable, and stays for some time after the store's last
// reference, so a backup that is not older finds its segments. A store restored from it may read
// the archive, and writes there after a takeover (store/archive/archive_owner.h).
//
// A backup is written in a folder next to its destination, checked as by `gprofhub admin fsck`,
// synced, and then moved: a file of the requested name is a complete and checked backup. A killed
// backup leaves a folder NAME.partial.XXXXXX, which can be deleted.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "store/upkeep/backup_options.h"

namespace gprofhub::store {

// Copies the store at `location` to the file `destination`, which must not exist and which only its
// owner may read, and records the time in the store. ALREADY_EXISTS; DATA_LOSS, naming the damage,
// if the store is damaged; the errors of OpenEngine, of the disk, and of the database. After an
// error the destination does not exist.
absl::StatusOr<BackupResult> MakeBackup(const std::string& location, const std::string& destination,
                                        const BackupOptions& options);

// Restores the store at `location` from the file `backup`.
// The directory of an embedded store must be empty or not exist; a database must be empty: else
// FAILED_PRECONDITION, also if the backup has another schema version. NOT_FOUND if the file
// does not exist; DATA_LOSS, naming the damage, if it is damaged. After an error there is no new
// store.
absl::StatusOr<BackupResult> RestoreBackup(const std::string& backup, const std::string& location,
                                           const BackupOptions& options);

}  // namespace gprofhub::store
