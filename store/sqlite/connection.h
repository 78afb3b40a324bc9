// One connection to the database file: prepared statements, transactions, and
// sqlite3's error codes as absl::Status.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sqlite {

// Used by one thread at a time. The connection is the session.
class Connection final : public sql::Session {
 public:
  // Opens DIRECTORY/gprofhub.db, which MakeStoreFolder makes.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const std::string& directory);

  // An empty database of its own.
  static absl::StatusOr<std::unique_ptr<Connection>> InMemory();

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  absl::StatusOr<sql::Rows> Query(absl::string_view sql,
                                  absl::Span<const sql::Parameter> parameters) override;
  // The bytes of large blobs are already in the blob folder. If garbage collection removed the file
  // because no row named it, it is restored.
  absl::Status AddBlob(const Blob& blob) override;
  // The file of a large one is removed after the transaction (sql::BlobBytes::RemoveUnnamed).
  absl::Status RemoveBlobBytes(const BlobName& name) override;

  // Further setup of the process's only writing connection, once the schema exists.
  absl::Status MakeWriter();

  // Runs statements without parameters and rows.
  absl::Status Script(absl::string_view sql);

  // Whether a transaction is open. After some errors, such as a full disk, SQLite has rolled it
  // back itself.
  bool InTransaction() const;

 private:
  struct CloseDatabase {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

  Connection(std::string directory, sqlite3* database)
      : directory_(std::move(directory)), database_(database) {}

  // The statement, compiled at most once per connection.
  absl::StatusOr<sqlite3_stmt*> Prepare(absl::string_view sql);
  // The error of the last call on this connection.
  absl::Status LastError(absl::string_view doing) const;
  absl::Status ErrorOf(absl::string_view doing) const;

  const std::string directory_;
  std::unique_ptr<sqlite3, CloseDatabase> database_;
  absl::flat_hash_map<std::string, Statement> statements_;  // goes before database_
};

// Small blobs: their bytes are rows of the database.
//
// A file costs an upload three waits for the disk: its bytes, its move, the commit of the row that
// names it. A row's bytes come with the commit, and share it with concurrent transactions
// (group_writer.h): the database's log is the append-only file with one sync for a group. Below
// about 100 KB SQLite also reads rows faster than a file system opens files
// (https://www.sqlite.org/intern-v-extern-blob.html). Large blobs would be written twice, to the
// log and from there to the database, and block all other writers meanwhile: they are files
// (blob_folder.h). In a backup all are rows (store/copy_rows.h).

inline constexpr size_t kMostSmallBytes = 128 << 10;

// The table, for code that copies all of them (schema step 17).
inline constexpr absl::string_view kSmallBlobTable = "small_blob";

inline bool IsSmall(const Blob& blob) { return blob.bytes.size() <= kMostSmallBytes; }

// Adds the bytes for the blob's existing row, unless they exist.
absl::Status AddSmallBlob(sql::Session& session, const Blob& blob);

// Removes the bytes: they are in a file now, or the blob is a delta.
absl::Status RemoveSmallBlob(sql::Session& session, const BlobName& name);

// The bytes, unchecked; nullopt if they are in a file, or the blob is a delta or archived.
// NOT_FOUND without a row of the blob.
absl::StatusOr<std::optional<std::string>> ReadSmallBlob(sql::Session& session,
                                                         const BlobName& name);

}  // namespace gprofhub::store::sqlite
