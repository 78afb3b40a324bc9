#include "store/sqlite/open_sqlite.h"

#include <sys/stat.h>

#include <filesystem>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_context.h"
#include "store/sql/blob_bytes.h"
#include "store/sql/blob_rows.h"
#include "store/sql/database.h"
#include "store/sql/schema/schema.h"
#include "store/sql/transaction.h"
#include "store/sqlite/blob_folder.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/group_writer.h"
#include "store/sqlite/small_blobs.h"

namespace gprofhub::store::sqlite {
namespace {

// Connections for readers that are kept when idle.
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
  // `writer` has the file of `directory` open.
  SqliteDatabase(std::string directory, std::unique_ptr<Connection> writer)
      : directory_(std::move(directory)),
        file_(FileAt(DatabaseFile(directory_))),
        writer_(std::move(writer)) {}

  const sql::Dialect& dialect() const override { return kDialect; }

  absl::Status Read(const Work& work) override {
    absl::StatusOr<std::unique_ptr<Connection>> reader = TakeReader();
    if (!reader.ok()) return reader.status();
    absl::Status status = work(**reader);
    const std::lock_guard<std::mutex> lock(mutex_);
    --readers_;
    if (idle_readers_.size() < kIdleReaders) idle_readers_.push_back(*std::move(reader));
    return status;
  }

  absl::Status Write(const Work& work) override { return writer_.Write(work); }

  absl::Duration ClockSkew() override { return absl::ZeroDuration(); }
  // A process can still read and write a removed file that it has open; when it ends, all data is
  // lost.
  absl::Status Check() override {
    const std::string path = DatabaseFile(directory_);
    if (FileAt(path) != file_) {
      return absl::UnavailableError(
          absl::StrCat(path, " has gone or is another file: put it back and restart the server"));
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
    absl::Status status = Read([&](sql::Session& session) {
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
    });
    if (!status.ok()) return status;
    return problems;
  }

 private:
  // Device and inode; zeros if there is none.
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
    absl::Status held = database_->Read([&](sql::Session& session) {
      absl::StatusOr<std::optional<std::string>> found = ReadSmallBlob(session, name);
      if (found.ok()) small = *std::move(found);
      return found.status();
    });
    if (!held.ok()) return held;
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
    // A write transaction, though it writes nothing: it excludes other ones that add a row.
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
      const absl::StatusOr<sql::Rows> rows = session.Query(
          absl::StrCat("SELECT 1 FROM blob WHERE name = $1 AND ", sql::kIsWhole), {name});
      if (!rows.ok()) return rows.status();
      if (!rows->empty()) continue;
      const absl::StatusOr<sql::RemovedBytes> one = folder_.Remove(name, changed_before);
      if (!one.ok()) return one.status();
      removed.count += one->count;
      removed.bytes += one->bytes;
    }
    return removed;
  }

  const std::shared_ptr<sql::Database> database_;
  const std::string directory_;
  const BlobFolder folder_;
};

absl::StatusOr<int64_t> ReadSchemaVersion(Connection& connection) {
  const absl::StatusOr<sql::Rows> version = connection.Query("PRAGMA user_version", {});
  if (!version.ok()) return version.status();
  return version->front().Number(0);
}

// Creates the schema in a transaction that the caller has begun, unless another process did so
// meanwhile.
absl::Status CreateSchema(Connection& connection) {
  const absl::StatusOr<int64_t> version = ReadSchemaVersion(connection);
  if (!version.ok()) return version.status();
  if (*version != kNoSchema) return CheckSchemaVersion(*version);
  return connection.Script(SqliteSchema());
}

absl::Status EnsureSchema(Connection& connection) {
  // An existing schema is only read, without waiting for writers.
  const absl::StatusOr<int64_t> version = ReadSchemaVersion(connection);
  if (!version.ok()) return version.status();
  if (*version != kNoSchema) return CheckSchemaVersion(*version);
  absl::Status status = connection.Script("BEGIN IMMEDIATE");
  if (status.ok()) status = CreateSchema(connection);
  if (status.ok()) status = connection.Script("COMMIT");
  if (!status.ok() && connection.InTransaction()) {
    (void)connection.Script("ROLLBACK");  // `status` is what matters
  }
  return status;
}

}  // namespace

absl::StatusOr<sql::Engine> OpenSqlite(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return absl::FailedPreconditionError(
        absl::StrCat("the data directory ", directory, " cannot be created: ", error.message()));
  }
  absl::StatusOr<BlobFolder> folder = BlobFolder::Open(directory);
  if (!folder.ok()) return folder.status();
  absl::StatusOr<std::unique_ptr<Connection>> writer = Connection::Open(directory);
  if (!writer.ok()) return writer.status();
  if (absl::Status status = EnsureSchema(**writer); !status.ok()) {
    return base::WithContext(status, directory);
  }
  if (absl::Status status = (*writer)->MakeWriter(); !status.ok()) return status;
  auto database = std::make_shared<SqliteDatabase>(directory, *std::move(writer));
  auto blobs = std::make_shared<SqliteBlobs>(database, directory, *std::move(folder));
  return sql::Engine{std::move(database), std::move(blobs)};
}

}  // namespace gprofhub::store::sqlite
