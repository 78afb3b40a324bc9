#include "store/postgres/open_postgres.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/public_message.h"
#include "base/status_context.h"
#include "store/postgres/connection_pool.h"
#include "store/postgres/database_clock.h"
#include "store/postgres/location.h"
#include "store/postgres/session.h"
#include "store/sql/blob_bytes.h"
#include "store/sql/database.h"
#include "store/sql/schema/schema.h"
#include "store/sql/transaction.h"

namespace gprofhub::store::postgres {
namespace {

// Maximum number of tries of a transaction that loses conflicts.
constexpr int kMaxTries = 10;

// The advisory lock that is held while the schema is created. An arbitrary number that no other
// program locks.
constexpr int64_t kSchemaLock = 0x6770726f66687562;  // "gprofhub"

constexpr sql::Dialect kDialect = {
    .for_update = " FOR UPDATE",
    .for_update_skip_locked = " FOR UPDATE SKIP LOCKED",
    .for_key_share = " FOR KEY SHARE",
    .list = "json_array_elements(CAST($1 AS json)) WITH ORDINALITY AS list(item, position)",
};

// The error as UNAVAILABLE, with more detail.
absl::Status Unavailable(const absl::Status& status, absl::string_view more) {
  return base::WithPublicMessage(absl::UnavailableError(absl::StrCat(status.message(), more)),
                                 base::PublicMessageOf(status));
}

absl::Status InDoubt(const absl::Status& status) {
  return base::WithPublicMessage(
      absl::UnavailableError(absl::StrCat(status.message(),
                                          ": the connection was lost while committing, so this may "
                                          "or may not have taken effect; look, or try again")),
      "the connection to the database was lost while this was being stored: it may or may not have "
      "been; try again");
}

absl::Status Hung(const absl::Status& status) {
  return base::WithPublicMessage(
      absl::UnavailableError(
          absl::StrCat(status.message(), ": the server did not answer in time, so it was cut")),
      "the database does not answer: try again");
}

class PostgresDatabase final : public sql::Database {
 public:
  PostgresDatabase(Location location, const PostgresOptions& options)
      : options_(options),
        pool_(std::move(location), options),
        clock_(options.now, [this] { return ReadClock(); }) {}

  const sql::Dialect& dialect() const override { return kDialect; }

  absl::Status Read(const Work& work) override { return Run(Kind::kRead, work); }
  absl::Status Write(const Work& work) override { return Run(Kind::kWrite, work); }

  absl::Duration ClockSkew() override { return clock_.Skew(); }

  absl::Status Check() override {
    return Run(Kind::kRead,
               [](PostgresSession& session) { return session.Execute("SELECT 1", {}); });
  }
  sql::Connections connections() const override { return pool_.load(); }
  std::string folder() const override { return ""; }
  // Checksums of pages, and pg_amcheck, are the server's.
  absl::StatusOr<std::vector<std::string>> CheckIntegrity() override {
    return std::vector<std::string>();
  }

  // Refuses a database that cannot hold every text.
  absl::Status CheckEncoding();
  // Creates the schema in an empty database; refuses another version than this program's.
  absl::Status EnsureSchema();

 private:
  static absl::StatusOr<int64_t> ReadSchemaVersion(PostgresSession& session);
  static absl::Status EnsureSchemaIn(PostgresSession& session);

  // Read-only transactions are rolled back: no answer to a commit can be lost, and none is awaited.
  enum class Kind { kRead, kWrite };
  absl::Status Run(Kind kind, const std::function<absl::Status(PostgresSession&)>& work);
  // One try. After ABORTED, UNAVAILABLE and DEADLINE_EXCEEDED nothing has changed. UNKNOWN if the
  // answer to the commit was lost.
  absl::Status Try(Kind kind, Pipeline& pipeline, SocketWatch::Watched& watched,
                   const std::function<absl::Status(PostgresSession&)>& work);
  // Reads the server's clock.
  absl::StatusOr<absl::Time> ReadClock();

  const PostgresOptions options_;
  ConnectionPool pool_;
  DatabaseClock clock_;
};

absl::Status PostgresDatabase::Try(Kind kind, Pipeline& pipeline, SocketWatch::Watched& watched,
                                   const std::function<absl::Status(PostgresSession&)>& work) {
  PostgresSession session(pipeline, watched, options_.answer);
  absl::Status status = work(session);
  if (status.ok() && kind == Kind::kWrite) status = session.Commit();
  session.RollBack(/*wait=*/kind == Kind::kWrite);
  return status;
}

absl::Status PostgresDatabase::Run(Kind kind,
                                   const std::function<absl::Status(PostgresSession&)>& work) {
  for (int tries = 1;; ++tries) {
    absl::StatusOr<ConnectionPool::Lease> lease = pool_.Take();
    if (!lease.ok()) return lease.status();
    bool was_cut = false;
    absl::Status status;
    {
      SocketWatch::Watched watched(pool_.watch(), lease->connection().socket());
      status = Try(kind, lease->connection().pipeline(), watched, work);
      was_cut = watched.WasCut();
    }
    if (was_cut || absl::IsUnavailable(status) || absl::IsUnknown(status)) {
      const bool was_fresh = lease->fresh();
      lease->Broken();
      if (status.ok()) return status;  // it was answered at the last moment
      if (absl::IsUnknown(status)) return InDoubt(status);
      if (was_cut) return Hung(status);
      // A connection that idled may have been lost long ago.
      if (was_fresh || tries >= kMaxTries) return status;
    } else if (absl::IsDeadlineExceeded(status)) {
      return Unavailable(status, "");
    } else if (!absl::IsAborted(status)) {
      return status;
    } else if (tries >= kMaxTries) {
      return Unavailable(status, absl::StrCat(": gave up after ", tries, " tries; try again"));
    }
  }
}

absl::StatusOr<absl::Time> PostgresDatabase::ReadClock() {
  int64_t us = 0;
  absl::Status status = Run(Kind::kRead, [&us](PostgresSession& session) {
    absl::StatusOr<sql::Rows> rows =
        session.Query("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)", {});
    if (rows.ok()) us = rows->front().Number(0);
    return rows.status();
  });
  if (!status.ok()) return status;
  return absl::FromUnixMicros(us);
}

absl::Status PostgresDatabase::CheckEncoding() {
  return Run(Kind::kRead, [this](PostgresSession& session) {
    absl::StatusOr<sql::Rows> rows = session.Query("SHOW server_encoding", {});
    if (!rows.ok()) return rows.status();
    const std::string encoding = rows->front().Text(0);
    if (encoding == "UTF8") return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat(pool_.location().display, ": the database has the encoding ", encoding,
                     "; create one with ENCODING 'UTF8' TEMPLATE template0"));
  });
}

absl::StatusOr<int64_t> PostgresDatabase::ReadSchemaVersion(PostgresSession& session) {
  const absl::StatusOr<sql::Rows> missing =
      session.Query("SELECT to_regclass('schema_version') IS NULL", {});
  if (!missing.ok()) return missing.status();
  if (missing->front().Text(0) == "t") return kNoSchema;
  const absl::StatusOr<sql::Rows> version =
      session.Query("SELECT coalesce(max(version), 0) FROM schema_version", {});
  if (!version.ok()) return version.status();
  return version->front().Number(0);
}

absl::Status PostgresDatabase::EnsureSchemaIn(PostgresSession& session) {
  absl::StatusOr<int64_t> version = ReadSchemaVersion(session);
  if (!version.ok()) return version.status();
  // An existing schema is only read, without the lock.
  if (*version != kNoSchema) return CheckSchemaVersion(*version);
  // Until the transaction ends: one process at a time. Another may have created the schema before.
  absl::Status status = session.TakeAnyTime();
  if (!status.ok()) return status;
  status = session.Execute("SELECT pg_advisory_xact_lock($1)", {kSchemaLock});
  if (!status.ok()) return status;
  version = ReadSchemaVersion(session);
  if (!version.ok()) return version.status();
  if (*version != kNoSchema) return CheckSchemaVersion(*version);
  return session.Script(PostgresSchema());
}

absl::Status PostgresDatabase::EnsureSchema() {
  return base::WithContext(Run(Kind::kWrite, EnsureSchemaIn), pool_.location().display);
}

// The rows carry the bytes.
class PostgresBlobs final : public sql::BlobBytes {
 public:
  explicit PostgresBlobs(std::shared_ptr<sql::Database> database)
      : database_(std::move(database)) {}

  bool Stages(const Blob&) const override { return false; }
  absl::Status Stage(absl::Span<const Blob* const>) override { return absl::OkStatus(); }

  absl::StatusOr<std::optional<std::string>> Read(const BlobName& name) override {
    using Held = absl::StatusOr<std::optional<std::string>>;
    return sql::ReadIn(*database_, [&name](sql::Session& session) -> Held {
      absl::StatusOr<sql::Rows> rows =
          session.Query("SELECT bytes FROM blob WHERE name = $1", {name});
      if (!rows.ok()) return rows.status();
      if (rows->empty()) return absl::NotFoundError(absl::StrCat("there is no blob ", name));
      const sql::Row row = rows->front();
      if (std::holds_alternative<std::monostate>(row.At(0))) return std::nullopt;
      return row.Text(0);
    });
  }

  int parts() const override { return 0; }
  absl::StatusOr<std::vector<sql::LooseBytes>> List(int) override {
    return std::vector<sql::LooseBytes>();
  }
  absl::StatusOr<sql::RemovedBytes> RemoveUnnamed(absl::Span<const BlobName>, absl::Time) override {
    return sql::RemovedBytes();
  }
  absl::StatusOr<sql::RemovedBytes> RemoveIncoming(absl::Time) override {
    return sql::RemovedBytes();
  }

 private:
  const std::shared_ptr<sql::Database> database_;
};

}  // namespace

absl::StatusOr<sql::Engine> OpenPostgres(absl::string_view url, const PostgresOptions& options) {
  absl::StatusOr<Location> location = ParseLocation(url, options);
  if (!location.ok()) return location.status();
  auto database = std::make_shared<PostgresDatabase>(*std::move(location), options);
  if (absl::Status status = database->CheckEncoding(); !status.ok()) return status;
  if (absl::Status status = database->EnsureSchema(); !status.ok()) return status;
  auto blobs = std::make_shared<PostgresBlobs>(database);
  return sql::Engine{std::move(database), std::move(blobs)};
}

}  // namespace gprofhub::store::postgres
