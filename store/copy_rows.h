// Copies all rows of one store into another, of which one is SQLite's and the other may be
// PostgreSQL's.
//
// The tables and their columns are those of the SQLite database: both engines have the same, except
// for the bytes of blobs, which are files for SQLite. A new table is copied without a change here.
// Files uploaded by Bazel (store/) are not copied.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/records.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"

namespace gprofhub::store {

// Options and results of backup and restore.

struct BackupOptions {
  Actor by;
  std::function<absl::Time()> now;
  std::function<void(absl::string_view what, uint64_t done, uint64_t all)> on_progress =
      [](absl::string_view, uint64_t, uint64_t) {};
};

struct BackupResult {
  uint64_t blobs = 0;
  uint64_t blob_bytes = 0;
  uint64_t archived = 0;  // of the blobs: their bytes are in the archive, not in the backup
  absl::Time begun;
};

// Backups: `gprofhub admin backup` and `restore`.
//
// A backup is one file: the database of an embedded store, in which the bytes of all blobs are rows
// (store/sqlite/connection.h), regardless of size. A backup of a PostgreSQL store has the same
// form: its rows are read in one REPEATABLE READ transaction. So there is one way to check a
// backup, it does not depend on PostgreSQL's client programs and their versions, no password
// appears on a command line, and a backup of either kind of store can be restored into either.
// SQLite, and not an archive format: the check covers the file itself, not an unpacked copy.
//
// The server may run and take uploads meanwhile. The rows are one snapshot. Blobs are copied after
// them: they are append-only, and garbage collection waits for the backup
// (store/rows/summaries.h). So every blob that the rows name exists.
//
// Archived blobs (store/archive/archiving.h) are only referenced by a backup: durability there is
// the archive's purpose. A segment is immutable, and stays for some time after the store's last
// reference, so a backup that is not older finds its segments. A store restored from it may read
// the archive, and writes there after a takeover (store/archive/segments.h).
//
// A backup is written in a folder next to its destination, checked as by `gprofhub admin fsck`,
// synced, and then moved: a file of the requested name is a complete and checked backup. A killed
// backup leaves a folder NAME.partial.XXXXXX, which can be deleted.

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

// Shared code of backup and restore.

// A temporary folder next to the destination; removed at the end.
class PartialFolder {
 public:
  static absl::StatusOr<PartialFolder> Make(const std::string& place);
  ~PartialFolder();
  PartialFolder(PartialFolder&& other) noexcept;
  PartialFolder& operator=(PartialFolder&&) = delete;

  const std::string& path() const { return path_; }

  // Moves the folder itself to the destination, where an empty one may be, or a file of it, where
  // the name must be free: else ALREADY_EXISTS. All of it is synced before the rename.
  absl::Status MoveTo(const std::string& place);
  absl::Status MoveFileTo(absl::string_view file, const std::string& place);

 private:
  explicit PartialFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// RESOURCE_EXHAUSTED for a full disk, else FAILED_PRECONDITION.
absl::Status FileError(absl::string_view doing, const std::string& path, int error);

// Calls `each` with the name of each blob that the copy's rows name; how many there are.
absl::StatusOr<uint64_t> ForBlobs(sql::Database& copy, const BackupOptions& options,
                                  const std::function<absl::Status(const BlobName& name)>& each);

// A blob of a database that is being copied.
struct CopiedBlob {
  std::optional<std::string> bytes;  // of a whole one, if they are rows; unchecked
  bool is_whole = false;             // neither a delta nor archived
};

// NOT_FOUND if no row names the blob.
absl::StatusOr<CopiedBlob> FindCopied(sql::Session& copy, const sql::Dialect& dialect,
                                      const BlobName& name);

// DATA_LOSS unless the bytes hash to the name; `of_what` has them.
absl::Status CheckBytes(const BlobName& name, const std::string& bytes, absl::string_view of_what);

// Number of archived blobs.
absl::StatusOr<uint64_t> CountArchived(sql::Session& session);

// Checks a store as `gprofhub admin fsck` does: DATA_LOSS, naming the first damage. Archived blobs
// are not read.
absl::Status InspectCopy(const sql::Engine& engine, const BackupOptions& options);

struct RowCopy {
  sql::Session* from = nullptr;
  sql::Session* to = nullptr;
  // The one of the two that is SQLite's.
  sql::Session* sqlite = nullptr;
  bool to_postgres = false;
  // The bytes of a blob, for PostgreSQL's rows; nullopt if it is a delta.
  std::function<absl::StatusOr<std::optional<std::string>>(const BlobName&)> bytes_of;
  // Is called with each table and now and then. An error ends the copy.
  std::function<absl::Status(absl::string_view table)> pulse;
};

// Returns how many rows were copied. To be called within a transaction of each. `to` has the same
// schema and no rows.
absl::StatusOr<uint64_t> CopyRows(const RowCopy& copy);

// FAILED_PRECONDITION, naming a table, if one of the SQLite schema's tables has rows in `session`;
// the store's properties do not count.
absl::Status CheckIsEmpty(sql::Session& sqlite, sql::Session& session);

}  // namespace gprofhub::store
