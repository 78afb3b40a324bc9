#include "store/sqlite/connection.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "store/sqlite/blob_folder.h"

namespace gprofhub::store::sqlite {

absl::Status AddSmallBlob(sql::Session& session, const Blob& blob) {
  return session.Execute(
      "INSERT INTO small_blob (name, bytes) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
      {blob.name, sql::Bytes{blob.bytes}});
}

absl::Status RemoveSmallBlob(sql::Session& session, const BlobName& name) {
  return session.Execute("DELETE FROM small_blob WHERE name = $1", {name});
}

absl::StatusOr<std::optional<std::string>> ReadSmallBlob(sql::Session& session,
                                                         const BlobName& name) {
  ASSIGN_OR_RETURN(
      const sql::Rows rows,
      session.Query(
          "SELECT small_blob.bytes FROM blob LEFT JOIN small_blob ON small_blob.name = blob.name "
          "WHERE blob.name = $1",
          {name}));
  if (rows.empty()) return absl::NotFoundError(absl::StrCat("there is no blob ", name));
  const sql::Row row = rows.front();
  if (std::holds_alternative<std::monostate>(row.At(0))) return std::nullopt;
  return row.Text(0);
}

namespace {

int Bind(sqlite3_stmt* statement, int index, const sql::Parameter& parameter) {
  if (const int64_t* number = std::get_if<int64_t>(&parameter)) {
    return sqlite3_bind_int64(statement, index, *number);
  }
  // Not copied: the bytes outlive the execution, which Query resets. An empty view may have a null
  // pointer, which would bind NULL.
  if (const absl::string_view* text = std::get_if<absl::string_view>(&parameter)) {
    return sqlite3_bind_text64(statement, index, text->empty() ? "" : text->data(), text->size(),
                               SQLITE_STATIC, SQLITE_UTF8);
  }
  const absl::string_view bytes = std::get<sql::Bytes>(parameter).value;
  return sqlite3_bind_blob64(statement, index, bytes.empty() ? "" : bytes.data(), bytes.size(),
                             SQLITE_STATIC);
}

void AddColumn(sqlite3_stmt* statement, int column, sql::Rows& rows) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      return rows.Add(std::monostate());
    case SQLITE_INTEGER:
      return rows.Add(int64_t{sqlite3_column_int64(statement, column)});
    default: {
      const void* bytes = sqlite3_column_blob(statement, column);
      return rows.Add(
          absl::string_view(static_cast<const char*>(bytes == nullptr ? "" : bytes),
                            static_cast<size_t>(sqlite3_column_bytes(statement, column))));
    }
  }
}

// Resets a statement. Afterwards it holds no lock and no reference to the caller's bytes.
struct ResetStatement {
  void operator()(sqlite3_stmt* statement) const {
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
  }
};

// Scoped lock of DIRECTORY/opening.lock, which excludes other threads and processes. If two
// connections switch a new database to WAL concurrently, SQLite does not wait: one of them fails.
class OpeningLock {
 public:
  explicit OpeningLock(const std::string& directory)
      : file_(open(absl::StrCat(directory, "/opening.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC,
                   0600)) {
    while (file_ >= 0 && flock(file_, LOCK_EX) != 0 && errno == EINTR) continue;
  }
  ~OpeningLock() {
    if (file_ >= 0) close(file_);
  }
  OpeningLock(const OpeningLock&) = delete;
  OpeningLock& operator=(const OpeningLock&) = delete;

 private:
  const int file_;  // below 0: open failed; the database reports why
};

// octet_length of PostgreSQL, which SQLite has since 3.43: length counts the characters of a text.
void OctetLength(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return sqlite3_result_null(context);
  sqlite3_result_int64(context, sqlite3_value_bytes(values[0]));
}

int AddFunctions(sqlite3* database) {
  return sqlite3_create_function_v2(database, "octet_length", 1,
                                    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nullptr,
                                    &OctetLength, nullptr, nullptr, nullptr);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const std::string& directory) {
  sqlite3* database = nullptr;
  const int code =
      sqlite3_open_v2(absl::StrCat(directory, "/gprofhub.db").c_str(), &database,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                      /*zVfs=*/nullptr);
  std::unique_ptr<Connection> connection(new Connection(directory, database));
  if (code != SQLITE_OK || AddFunctions(database) != SQLITE_OK) {
    return connection->LastError("opening");
  }
  sqlite3_busy_timeout(database, kBusyTimeoutMs);

  const OpeningLock lock(directory);
  RETURN_IF_ERROR(connection->Script(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"));
  return connection;
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::InMemory() {
  sqlite3* database = nullptr;
  const int code = sqlite3_open(":memory:", &database);
  std::unique_ptr<Connection> connection(new Connection(":memory:", database));
  if (code != SQLITE_OK || AddFunctions(database) != SQLITE_OK) {
    return connection->LastError("opening");
  }
  return connection;
}

// Each request of a group is a savepoint. Its journal holds the original pages until its end,
// beyond 64 KiB in a file, unless temporary data stays in memory. Steps of the schema sort more
// than memory holds. The pages that uploads change repeatedly, the newest of each index, are some
// MiB. A longer log is copied into the database less often, and such a page once for all its
// changes.
absl::Status Connection::MakeWriter() {
  return Script(
      "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 4096;");
}

absl::Status Connection::LastError(absl::string_view doing) const { return Hidden(ErrorOf(doing)); }

absl::Status Connection::ErrorOf(absl::string_view doing) const {
  const int code = database_ ? sqlite3_extended_errcode(database_.get()) : SQLITE_NOMEM;
  const std::string message = absl::StrCat(
      doing, " ", directory_,
      "/gprofhub.db: ", database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code),
      " (SQLite code ", code, ")");
  switch (code & 0xff) {
    case SQLITE_FULL:
      return DiskFull(directory_, message);
    case SQLITE_IOERR:
      // SQLITE_FULL means ENOSPC alone. A write beyond a quota gives this code.
      if (code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_SHMSIZE) {
        return DiskFull(directory_, message);
      }
      return absl::InternalError(message);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::UnavailableError(
          absl::StrCat(message, ": another process keeps it locked; try again"));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::DataLossError(
          absl::StrCat(message,
                       ": the file is damaged or not a database; restore it from a backup, or move "
                       "it away to start with an empty store"));
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return absl::FailedPreconditionError(
          absl::StrCat(message, ": make the directory writable for this user"));
    default:
      return absl::InternalError(message);
  }
}

absl::StatusOr<sqlite3_stmt*> Connection::Prepare(absl::string_view sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return found->second.get();
  sqlite3_stmt* compiled = nullptr;
  const int code = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &compiled, /*pzTail=*/nullptr);
  Statement statement(compiled);
  if (code != SQLITE_OK) return LastError(absl::StrCat("preparing '", sql, "' in"));
  return statements_.emplace(sql, std::move(statement)).first->second.get();
}

absl::StatusOr<sql::Rows> Connection::Query(absl::string_view sql,
                                            absl::Span<const sql::Parameter> parameters) {
  ASSIGN_OR_RETURN(sqlite3_stmt * prepared, Prepare(sql));
  const std::unique_ptr<sqlite3_stmt, ResetStatement> statement(prepared);
  for (size_t i = 0; i < parameters.size(); ++i) {
    // To SQLite "$2" is a name; the statement numbers names as they come.
    const int index =
        sqlite3_bind_parameter_index(statement.get(), absl::StrCat("$", i + 1).c_str());
    if (Bind(statement.get(), index, parameters[i]) != SQLITE_OK) {
      return LastError(absl::StrCat("binding $", i + 1, " in"));
    }
  }
  const int columns = sqlite3_column_count(statement.get());
  sql::Rows rows(static_cast<size_t>(std::max(1, columns)));
  while (true) {
    const int code = sqlite3_step(statement.get());
    if (code == SQLITE_DONE) return rows;
    if (code != SQLITE_ROW) return LastError("reading or writing");
    for (int column = 0; column < columns; ++column) AddColumn(statement.get(), column, rows);
  }
}

absl::Status Connection::AddBlob(const Blob& blob) {
  ASSIGN_OR_RETURN(
      const sql::Rows added,
      Query(
          "INSERT INTO blob (name, size) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING 1",
          {blob.name, static_cast<int64_t>(blob.bytes.size())}));
  if (added.empty()) {
    for (const absl::string_view statement :
         {"DELETE FROM blob_delta WHERE name = $1", "DELETE FROM archived_blob WHERE name = $1"}) {
      RETURN_IF_ERROR(Execute(statement, {blob.name}));
    }
  }
  if (IsSmall(blob)) return AddSmallBlob(*this, blob);
  return EnsureBlobFile(directory_, blob);
}

absl::Status Connection::RemoveBlobBytes(const BlobName& name) {
  return RemoveSmallBlob(*this, name);
}

absl::Status Connection::Script(absl::string_view sql) {
  if (sqlite3_exec(database_.get(), std::string(sql).c_str(), /*callback=*/nullptr,
                   /*context=*/nullptr, /*errmsg=*/nullptr) != SQLITE_OK) {
    return LastError("reading or writing");
  }
  return absl::OkStatus();
}

bool Connection::InTransaction() const { return sqlite3_get_autocommit(database_.get()) == 0; }

}  // namespace gprofhub::store::sqlite
