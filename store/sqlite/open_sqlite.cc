#include "store/sqlite/open_sqlite.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "store/sql/database.h"
#include "store/sql/schema.h"
#include "store/sqlite/blob_folder.h"
#include "store/sqlite/connection.h"

namespace gprofhub::store::sqlite {

namespace {

// Bounds the time that a group waits for requests that arrive late.
constexpr size_t kMostInGroup = 64;

// Exceptions must be caught: the writers after this one would wait for ever.
absl::Status RunWithinMemory(const sql::Database::Work& work, Connection& connection) {
  try {
    return work(connection);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("the write needs more memory than there is");
  }
}

}  // namespace

absl::Status GroupWriter::Write(const sql::Database::Work& work) {
  Request request{&work, absl::OkStatus()};
  std::unique_lock<std::mutex> lock(mutex_);
  waiting_.push_back(&request);
  ++writing_;
  request.changed.wait(lock, [&] { return request.done || !leading_; });
  if (!request.done) {
    // No thread leads, so this one does.
    leading_ = true;
    lock.unlock();
    const std::vector<Request*> group = Commit();
    lock.lock();
    leading_ = false;
    // The lock is held: a request is there until its thread has it.
    for (Request* each : group) {
      each->done = true;
      each->changed.notify_one();
    }
    if (!waiting_.empty()) waiting_.front()->changed.notify_one();
  }
  --writing_;
  return request.status;
}

size_t GroupWriter::waiting() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return writing_ - (leading_ ? 1 : 0);
}

std::vector<GroupWriter::Request*> GroupWriter::Commit() {
  std::vector<Request*> group;
  absl::Status status = connection_->Script("BEGIN IMMEDIATE");
  if (status.ok()) {
    status = RunAll(group);
    if (status.ok()) status = connection_->Script("COMMIT");
    if (!status.ok() && connection_->InTransaction()) {
      (void)connection_->Script("ROLLBACK");  // `status` is what matters
    }
  }
  if (group.empty()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    group.swap(waiting_);
  }
  for (Request* request : group) {
    if (!status.ok() && request->status.ok()) request->status = status;
  }
  return group;
}

// An error here ends the whole transaction. A request that fails does not.
absl::Status GroupWriter::RunAll(std::vector<Request*>& group) {
  while (group.size() < kMostInGroup) {
    std::vector<Request*> next;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      next.swap(waiting_);
    }
    if (next.empty()) break;
    group.insert(group.end(), next.begin(), next.end());
    for (Request* request : next) {
      RETURN_IF_ERROR(RunOne(*request));
    }
  }
  return absl::OkStatus();
}

absl::Status GroupWriter::RunOne(Request& request) {
  // Prepared once, as Script is not.
  absl::Status status = connection_->Execute("SAVEPOINT request", {});
  if (!status.ok()) return status;
  request.status = RunWithinMemory(*request.work, *connection_);
  if (!connection_->InTransaction()) {
    return request.status.ok() ? absl::InternalError("a transaction ended unexpectedly")
                               : request.status;
  }
  if (!request.status.ok()) status = connection_->Execute("ROLLBACK TO request", {});
  return status.ok() ? connection_->Execute("RELEASE request", {}) : status;
}

namespace {

// Maximum number of idle connections for readers.
constexpr size_t kIdleReaders = 8;

constexpr sql::Dialect kDialect = {
    // A write transaction excludes every other from its beginning.
    .for_update = "",
    .for_update_skip_locked = "",
    .for_key_share = "",
    .list = "(SELECT value AS item, key AS position FROM json_each($1)) AS list",
};

class SqliteDatabase final : public sql::Database {
 public:
  // `writer` has the file of `directory` open; `serving` is a server's lock.
  SqliteDatabase(std::string directory, base::FileDescriptor serving,
                 std::unique_ptr<Connection> writer)
      : directory_(std::move(directory)),
        serving_(std::move(serving)),
        file_(FileAt(DatabaseFile(directory_))),
        writer_(std::move(writer)) {}

  const sql::Dialect& dialect() const override { return kDialect; }

  absl::Status Read(const Work& work) override {
    ASSIGN_OR_RETURN(std::unique_ptr<Connection> reader, TakeReader());
    absl::Status status = work(*reader);
    const std::lock_guard<std::mutex> lock(mutex_);
    --readers_;
    if (idle_readers_.size() < kIdleReaders) idle_readers_.push_back(std::move(reader));
    return status;
  }

  absl::Status Write(const Work& work) override { return writer_.Write(work); }

  absl::Duration ClockSkew() override { return absl::ZeroDuration(); }
  // A process that has a deleted file open can still read and write it until the process ends. Then
  // all data is lost.
  absl::Status Check() override {
    const std::string path = DatabaseFile(directory_);
    if (FileAt(path) != file_) {
      return absl::UnavailableError(
          absl::StrCat(path, " is missing or was replaced; restore it and restart the server"));
    }
    return Read([](sql::Session& session) { return session.Execute("SELECT 1", {}); });
  }

  // The writer is one connection, which is never idle for long.
  sql::Connections connections() const override {
    const auto waiting = static_cast<uint32_t>(writer_.waiting());
    const std::lock_guard<std::mutex> lock(mutex_);
    return {readers_ + 1, static_cast<uint32_t>(idle_readers_.size()), waiting};
  }

  std::string folder() const override { return directory_; }

  absl::StatusOr<std::vector<std::string>> CheckIntegrity() override {
    std::vector<std::string> problems;
    RETURN_IF_ERROR(Read([&](sql::Session& session) {
      problems.clear();
      const absl::StatusOr<sql::Rows> rows = session.Query("PRAGMA integrity_check(100)", {});
      if (absl::IsDataLoss(rows.status())) {
        problems.push_back(std::string(rows.status().message()));
        return absl::OkStatus();
      }
      if (!rows.ok()) return rows.status();
      for (const sql::Row& row : *rows) {
        if (row.Text(0) != "ok") problems.push_back(row.Text(0));
      }
      return absl::OkStatus();
    }));
    return problems;
  }

 private:
  // Device and inode; zeros if the file does not exist.
  using File = std::pair<dev_t, ino_t>;

  static std::string DatabaseFile(const std::string& directory) {
    return absl::StrCat(directory, "/gprofhub.db");
  }
  static File FileAt(const std::string& path) {
    struct stat about = {};
    if (stat(path.c_str(), &about) != 0) return {};
    return {about.st_dev, about.st_ino};
  }

  absl::StatusOr<std::unique_ptr<Connection>> TakeReader() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++readers_;
      if (!idle_readers_.empty()) {
        std::unique_ptr<Connection> reader = std::move(idle_readers_.back());
        idle_readers_.pop_back();
        return reader;
      }
    }
    absl::StatusOr<std::unique_ptr<Connection>> opened = Connection::Open(directory_);
    if (!opened.ok()) {
      const std::lock_guard<std::mutex> lock(mutex_);
      --readers_;
    }
    return opened;
  }

  const std::string directory_;
  const base::FileDescriptor serving_;
  const File file_;
  GroupWriter writer_;
  mutable std::mutex mutex_;
  uint32_t readers_ = 0;                                   // guarded by mutex_: in use
  std::vector<std::unique_ptr<Connection>> idle_readers_;  // guarded by mutex_
};

class SqliteBlobs final : public sql::BlobBytes {
 public:
  SqliteBlobs(std::shared_ptr<sql::Database> database, std::string directory, BlobFolder folder)
      : database_(std::move(database)),
        directory_(std::move(directory)),
        folder_(std::move(folder)) {}

  bool Stages(const Blob& blob) const override { return !IsSmall(blob); }

  absl::Status Stage(absl::Span<const Blob* const> blobs) override {
    std::vector<const Blob*> large;
    for (const Blob* blob : blobs) {
      if (Stages(*blob)) large.push_back(blob);
    }
    return folder_.Add(large);
  }

  absl::StatusOr<std::optional<std::string>> Read(const BlobName& name) override {
    // The row decides. A file without a row may come from a transaction that failed.
    std::optional<std::string> small;
    RETURN_IF_ERROR(database_->Read([&](sql::Session& session) {
      absl::StatusOr<std::optional<std::string>> found = ReadSmallBlob(session, name);
      if (found.ok()) small = *std::move(found);
      return found.status();
    }));
    if (small.has_value()) return small;
    absl::StatusOr<std::string> bytes = folder_.Read(name);
    if (absl::IsNotFound(bytes.status())) return std::nullopt;
    if (!bytes.ok()) return bytes.status();
    return *std::move(bytes);
  }

  int parts() const override { return BlobFolder::kParts; }

  absl::StatusOr<std::vector<sql::LooseBytes>> List(int part) override {
    return folder_.List(part);
  }

  absl::StatusOr<sql::RemovedBytes> RemoveUnnamed(absl::Span<const BlobName> names,
                                                  absl::Time changed_before) override {
    // A write transaction, although it writes nothing: it keeps others from adding rows in the
    // meantime.
    return sql::WriteIn(*database_, [&](sql::Session& session) {
      return RemoveUnnamedIn(session, names, changed_before);
    });
  }

  absl::StatusOr<sql::RemovedBytes> RemoveIncoming(absl::Time changed_before) override {
    return folder_.RemoveIncoming(changed_before);
  }

 private:
  absl::StatusOr<sql::RemovedBytes> RemoveUnnamedIn(sql::Session& session,
                                                    absl::Span<const BlobName> names,
                                                    absl::Time changed_before) const {
    sql::RemovedBytes removed;
    for (const BlobName& name : names) {
      ASSIGN_OR_RETURN(
          const sql::Rows rows,
          session.Query(absl::StrCat("SELECT 1 FROM blob WHERE name = $1 AND ", sql::kIsWhole),
                        {name}));
      if (!rows.empty()) continue;
      ASSIGN_OR_RETURN(const sql::RemovedBytes one, folder_.Remove(name, changed_before));
      removed.count += one.count;
      removed.bytes += one.bytes;
    }
    return removed;
  }

  const std::shared_ptr<sql::Database> database_;
  const std::string directory_;
  const BlobFolder folder_;
};

absl::StatusOr<int64_t> ReadSchemaVersion(Connection& connection) {
  ASSIGN_OR_RETURN(const sql::Rows version, connection.Query("PRAGMA user_version", {}));
  return version.front().Number(0);
}

// Tables, indexes, triggers and views as SQLite keeps them.
absl::StatusOr<std::set<std::string>> SchemaObjects(Connection& connection) {
  ASSIGN_OR_RETURN(
      const sql::Rows rows,
      connection.Query("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema", {}));
  std::set<std::string> objects;
  for (const sql::Row& row : rows) {
    objects.insert(absl::StrCat(row.Text(0), " \"", base::Printable(row.Text(1)), "\" of ",
                                base::Printable(row.Text(2)), ": ", row.Text(3)));
  }
  return objects;
}

// DATA_LOSS if the database has other tables, indexes or triggers than the schema, or a view: a
// tampered file could change later writes by a trigger, and their conditions by a constraint.
absl::Status CheckObjects(Connection& connection) {
  static const auto* const kExpected = new absl::StatusOr<std::set<std::string>>([] {
    absl::StatusOr<std::unique_ptr<Connection>> model = Connection::InMemory();
    absl::Status status = model.status();
    if (status.ok()) status = (*model)->Script(SqliteSchema());
    return status.ok() ? SchemaObjects(**model) : status;
  }());
  if (!kExpected->ok()) return kExpected->status();
  ASSIGN_OR_RETURN(const std::set<std::string> found, SchemaObjects(connection));
  std::vector<std::string> differing;
  std::set_symmetric_difference(found.begin(), found.end(), (*kExpected)->begin(),
                                (*kExpected)->end(), std::back_inserter(differing));
  if (differing.empty()) return absl::OkStatus();
  const std::string& first = differing.front();
  return absl::DataLossError(absl::StrCat(
      first.substr(0, first.find(": ")),
      found.count(first) > 0 ? " is not part of" : " is missing or differs from", " the schema; ",
      differing.size() == 1 ? "" : absl::StrCat(differing.size() - 1, " more differences; "),
      "restore the database from a backup that you trust"));
}

// Creates the schema in a transaction that the caller has begun, unless another process did so
// meanwhile.
absl::Status CreateSchema(Connection& connection) {
  ASSIGN_OR_RETURN(const int64_t version, ReadSchemaVersion(connection));
  if (version == kNoSchema) {
    RETURN_IF_ERROR(connection.Script(SqliteSchema()));
  } else {
    RETURN_IF_ERROR(CheckSchemaVersion(version));
  }
  return CheckObjects(connection);
}

absl::Status EnsureSchema(Connection& connection) {
  // An existing schema is only read, without waiting for writers.
  ASSIGN_OR_RETURN(const int64_t version, ReadSchemaVersion(connection));
  if (version != kNoSchema) {
    RETURN_IF_ERROR(CheckSchemaVersion(version));
    return CheckObjects(connection);
  }
  absl::Status status = connection.Script("BEGIN IMMEDIATE");
  if (status.ok()) status = CreateSchema(connection);
  if (status.ok()) status = connection.Script("COMMIT");
  if (!status.ok() && connection.InTransaction()) {
    (void)connection.Script("ROLLBACK");  // `status` is what matters
  }
  return status;
}

// The lock of the directory's only server, until it is closed. Limits, quotas and caches of a
// server are its process's.
absl::StatusOr<base::FileDescriptor> LockForServer(const std::string& directory) {
  base::FileDescriptor folder(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.valid() && flock(folder.value(), LOCK_EX | LOCK_NB) == 0) return folder;
  if (errno == EWOULDBLOCK) {
    return absl::FailedPreconditionError(
        absl::StrCat("another `gprofhub serve` uses the data directory ", directory,
                     "; stop it, or let both share a PostgreSQL database (--store)"));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("locking the data directory ", directory, ": ", std::strerror(errno)));
}

}  // namespace

absl::StatusOr<sql::Engine> OpenSqlite(const std::string& directory, OpenMode mode) {
  if (MayCreate(mode)) {
    RETURN_IF_ERROR(MakeStoreFolder(directory));
  } else {
    // An empty file is also left alone: a connection would write to it.
    std::error_code error;
    const auto size = std::filesystem::file_size(DatabaseFile(directory), error);
    if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory ||
        (!error && size == 0)) {
      return NoStoreIn(directory);
    }
  }
  base::FileDescriptor serving;
  if (mode == OpenMode::kServe) {
    ASSIGN_OR_RETURN(serving, LockForServer(directory));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Connection> writer, Connection::Open(directory));
  if (!MayCreate(mode)) {
    ASSIGN_OR_RETURN(const int64_t version, ReadSchemaVersion(*writer));
    if (version == kNoSchema) return NoStoreIn(directory);
  }
  if (absl::Status status = EnsureSchema(*writer); !status.ok()) {
    return base::WithContext(status, directory);
  }
  ASSIGN_OR_RETURN(BlobFolder folder, BlobFolder::Open(directory));
  RETURN_IF_ERROR(writer->MakeWriter());
  auto database =
      std::make_shared<SqliteDatabase>(directory, std::move(serving), std::move(writer));
  auto blobs = std::make_shared<SqliteBlobs>(database, directory, std::move(folder));
  return sql::Engine{std::move(database), std::move(blobs)};
}

}  // namespace gprofhub::store::sqlite
