#include "store/postgres/open_postgres.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "store/postgres/pipeline.h"
#include "store/postgres/session.h"
#include "store/sql/database.h"
#include "store/sql/schema.h"

namespace gprofhub::store::postgres {

namespace {

// Connections to one PostgreSQL database.

// An open connection, and a second descriptor of its socket, which SocketWatch may shut down even
// while libpq closes its own.
class WatchedConnection {
 public:
  // `connection` is open; `keeps` as for Pipeline.
  WatchedConnection(const Location& location, ConnectionHandle connection, int socket, bool keeps)
      : connection_(std::move(connection)),
        socket_(socket),
        pipeline_(location, connection_.get(), keeps) {}
  ~WatchedConnection() { close(socket_); }
  WatchedConnection(const WatchedConnection&) = delete;
  WatchedConnection& operator=(const WatchedConnection&) = delete;

  Pipeline& pipeline() { return pipeline_; }
  int socket() const { return socket_; }

 private:
  const ConnectionHandle connection_;
  const int socket_;
  Pipeline pipeline_;
};

// Connection pool of fixed maximum size. A thread waits if all connections are leased. Safe to use
// from several threads.
class ConnectionPool {
 public:
  ConnectionPool(Location location, const PostgresOptions& options);

  // A leased connection. The destructor returns it to the pool, unless it is broken.
  class Lease {
   public:
    Lease(ConnectionPool* pool, std::unique_ptr<WatchedConnection> connection, bool fresh)
        : pool_(pool), connection_(std::move(connection)), fresh_(fresh) {}
    ~Lease() {
      if (pool_ != nullptr) pool_->Return(std::move(connection_));
    }
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)),
          connection_(std::move(other.connection_)),
          fresh_(other.fresh_) {}
    Lease& operator=(Lease&&) = delete;

    WatchedConnection& connection() { return *connection_; }
    // Whether it was opened for this lease. An idle connection may be stale.
    bool fresh() const { return fresh_; }
    // Closes it and all idle ones: the server has ended or was started again.
    void Broken() {
      connection_.reset();
      pool_->CloseIdle();
    }

   private:
    ConnectionPool* pool_;
    std::unique_ptr<WatchedConnection> connection_;
    bool fresh_;
  };

  // UNAVAILABLE if connecting fails, or if all connections stay leased for too long.
  absl::StatusOr<Lease> Take();
  sql::Connections load() const;
  const Location& location() const { return location_; }
  SocketWatch& watch() { return watch_; }

 private:
  absl::StatusOr<std::unique_ptr<WatchedConnection>> Connect();
  void Return(std::unique_ptr<WatchedConnection> connection);
  void CloseIdle();

  const Location location_;
  const PostgresOptions options_;
  SocketWatch watch_;
  mutable std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<WatchedConnection>> idle_;  // guarded by mutex_
  int open_ = 0;                                          // guarded by mutex_; leased or idle
  uint32_t waiting_ = 0;                                  // guarded by mutex_
};

// How often the watch looks.
absl::Duration Tick(const PostgresOptions& options) {
  return std::min(options.answer / 8, absl::Seconds(1));
}

// A parameter of the server; empty if the server does not report it.
std::string Variable(PGconn* connection, absl::string_view name) {
  const ResultHandle result(PQexec(connection, absl::StrCat("SHOW ", name).c_str()));
  return PQresultStatus(result.get()) == PGRES_TUPLES_OK ? PQgetvalue(result.get(), 0, 0) : "";
}

// Whether the server ignores our settings, which the connection passes in `options`: a pooler has
// dropped them. Then the next transaction may use another session, too.
bool OptionsWereDropped(PGconn* connection) {
  for (const char* limit :
       {"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"}) {
    if (Variable(connection, limit) != "0") return false;
  }
  return true;
}

// OK means durable, regardless of the server's default.
absl::Status InsistOnDurability(const Location& location, PGconn* connection) {
  const std::string commits = Variable(connection, "synchronous_commit");
  if (commits.empty()) return ConnectionError(location, connection);
  if (commits != "off") return absl::OkStatus();
  if (OptionsWereDropped(connection)) {
    return absl::FailedPreconditionError(
        absl::StrCat(location.display,
                     ": the server acknowledges commits before they are durable "
                     "(synchronous_commit is off), and the connection pooler does not let gprofhub "
                     "change that; run ALTER ROLE … SET synchronous_commit = on"));
  }
  const ResultHandle set(PQexec(connection, "SET synchronous_commit = on"));
  return PQresultStatus(set.get()) == PGRES_COMMAND_OK ? absl::OkStatus()
                                                       : StatementError(location, set.get());
}

ConnectionPool::ConnectionPool(Location location, const PostgresOptions& options)
    : location_(std::move(location)), options_(options), watch_(Tick(options)) {}

absl::StatusOr<std::unique_ptr<WatchedConnection>> ConnectionPool::Connect() {
  ConnectionHandle connection(PQconnectdb(location_.connection_url.c_str()));
  if (PQstatus(connection.get()) != CONNECTION_OK) {
    return ConnectionError(location_, connection.get());
  }
  // Notices are for people at a terminal.
  PQsetNoticeProcessor(
      connection.get(), [](void*, const char*) {}, nullptr);
  const int socket = fcntl(PQsocket(connection.get()), F_DUPFD_CLOEXEC, 0);
  if (socket < 0) {
    return absl::UnavailableError(
        absl::StrCat(location_.display, ": no file descriptor is left to watch the connection"));
  }
  PGconn* const opened = connection.get();
  SocketWatch::Watched watched(watch_, socket);
  watched.Allow(options_.answer);
  if (absl::Status status = InsistOnDurability(location_, opened); !status.ok()) {
    close(socket);
    return status;
  }
  const bool keeps = SpeaksToOneProcess(opened);
  return std::make_unique<WatchedConnection>(location_, std::move(connection), socket, keeps);
}

absl::StatusOr<ConnectionPool::Lease> ConnectionPool::Take() {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    ++waiting_;
    const bool free = returned_.wait_for(lock, absl::ToChronoNanoseconds(options_.pool), [this] {
      return !idle_.empty() || open_ < options_.connections;
    });
    --waiting_;
    if (!free) {
      return absl::UnavailableError(
          absl::StrCat("all ", options_.connections, " connections to the database are in use for ",
                       absl::FormatDuration(options_.pool), ": try again"));
    }
    if (!idle_.empty()) {
      std::unique_ptr<WatchedConnection> connection = std::move(idle_.back());
      idle_.pop_back();
      return Lease(this, std::move(connection), /*fresh=*/false);
    }
    ++open_;
  }
  absl::StatusOr<std::unique_ptr<WatchedConnection>> connection = Connect();
  if (!connection.ok()) {
    Return(nullptr);
    return connection.status();
  }
  return Lease(this, *std::move(connection), /*fresh=*/true);
}

sql::Connections ConnectionPool::load() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto idle = static_cast<uint32_t>(idle_.size());
  return {static_cast<uint32_t>(open_) - idle, idle, waiting_};
}

void ConnectionPool::Return(std::unique_ptr<WatchedConnection> connection) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (connection == nullptr || connection->pipeline().Broken()) {
    --open_;
  } else {
    idle_.push_back(std::move(connection));
  }
  returned_.notify_one();
}

void ConnectionPool::CloseIdle() {
  std::vector<std::unique_ptr<WatchedConnection>> closing;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing.swap(idle_);
    open_ -= static_cast<int>(closing.size());
  }
  returned_.notify_all();
}

constexpr absl::Duration kReadEvery = absl::Minutes(1);
// Bound on the error from the round trip to the database.
constexpr absl::Duration kGrain = absl::Seconds(1);

absl::Duration SteadyTime() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace

absl::Duration DatabaseClock::Skew() {
  const absl::Duration before = SteadyTime();
  const absl::Time here = here_();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const absl::Duration passed = before - read_at_;
    const bool was_set = absl::AbsDuration(here - here_then_ - passed) > kGrain;
    if (was_read_ && passed < kReadEvery && !was_set) return skew_;
  }
  const absl::StatusOr<absl::Time> there = there_();
  const absl::Duration taken = SteadyTime() - before;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!there.ok()) return skew_;
  const absl::Duration skew = *there - (here + taken / 2);
  if (absl::AbsDuration(skew - skew_) > kGrain + taken) skew_ = skew;
  was_read_ = true;
  read_at_ = before;
  here_then_ = here;
  return skew_;
}

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
                                          ": the commit is not confirmed and may or may not have "
                                          "taken effect; check, or try again")),
      "the database did not confirm the commit, which may or may not have taken effect; try again");
}

absl::Status Hung(const absl::Status& status) {
  return base::WithPublicMessage(
      absl::UnavailableError(absl::StrCat(
          status.message(), ": the server did not respond in time; the connection was closed")),
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
  // Refuses another schema version than this program's; an empty database gets the schema, or is
  // NOT_FOUND, as OpenMode says.
  absl::Status EnsureSchema();

 private:
  static absl::StatusOr<int64_t> ReadSchemaVersion(PostgresSession& session);
  absl::Status EnsureSchemaIn(PostgresSession& session) const;

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
    ASSIGN_OR_RETURN(ConnectionPool::Lease lease, pool_.Take());
    bool was_cut = false;
    absl::Status status;
    {
      SocketWatch::Watched watched(pool_.watch(), lease.connection().socket());
      status = Try(kind, lease.connection().pipeline(), watched, work);
      was_cut = watched.WasCut();
    }
    if (was_cut || absl::IsUnavailable(status) || absl::IsUnknown(status)) {
      const bool was_fresh = lease.fresh();
      lease.Broken();
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
  RETURN_IF_ERROR(Run(Kind::kRead, [&us](PostgresSession& session) {
    absl::StatusOr<sql::Rows> rows =
        session.Query("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)", {});
    if (rows.ok()) us = rows->front().Number(0);
    return rows.status();
  }));
  return absl::FromUnixMicros(us);
}

absl::Status PostgresDatabase::CheckEncoding() {
  return Run(Kind::kRead, [this](PostgresSession& session) {
    ASSIGN_OR_RETURN(sql::Rows rows, session.Query("SHOW server_encoding", {}));
    const std::string encoding = rows.front().Text(0);
    if (encoding == "UTF8") return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat(pool_.location().display, ": the database has the encoding ", encoding,
                     "; create one with ENCODING 'UTF8' TEMPLATE template0"));
  });
}

absl::StatusOr<int64_t> PostgresDatabase::ReadSchemaVersion(PostgresSession& session) {
  // to_regclass would answer from the session's cache, which may be older than the statement.
  ASSIGN_OR_RETURN(const sql::Rows tables,
                   session.Query("SELECT 1 FROM pg_tables WHERE tablename = 'schema_version' AND "
                                 "schemaname = ANY (current_schemas(false))",
                                 {}));
  if (tables.empty()) return kNoSchema;
  ASSIGN_OR_RETURN(const sql::Rows version,
                   session.Query("SELECT coalesce(max(version), 0) FROM schema_version", {}));
  return version.front().Number(0);
}

absl::Status PostgresDatabase::EnsureSchemaIn(PostgresSession& session) const {
  ASSIGN_OR_RETURN(int64_t version, ReadSchemaVersion(session));
  // An existing schema is only read, without the lock.
  if (version != kNoSchema) {
    return base::WithContext(CheckSchemaVersion(version), pool_.location().display);
  }
  if (!MayCreate(options_.mode)) return NoStoreIn(pool_.location().display);
  // Until the transaction ends: one process at a time. Another may have created the schema before.
  RETURN_IF_ERROR(session.TakeAnyTime());
  RETURN_IF_ERROR(session.Execute("SELECT pg_advisory_xact_lock($1)", {kSchemaLock}));
  ASSIGN_OR_RETURN(version, ReadSchemaVersion(session));
  if (version != kNoSchema) return CheckSchemaVersion(version);
  return session.Script(PostgresSchema());
}

absl::Status PostgresDatabase::EnsureSchema() {
  const Kind kind = MayCreate(options_.mode) ? Kind::kWrite : Kind::kRead;
  return Run(kind, [this](PostgresSession& session) { return EnsureSchemaIn(session); });
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
      ASSIGN_OR_RETURN(sql::Rows rows,
                       session.Query("SELECT bytes FROM blob WHERE name = $1", {name}));
      if (rows.empty()) return absl::NotFoundError(absl::StrCat("there is no blob ", name));
      const sql::Row row = rows.front();
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
  ASSIGN_OR_RETURN(Location location, ParseLocation(url, options));
  auto database = std::make_shared<PostgresDatabase>(std::move(location), options);
  RETURN_IF_ERROR(database->CheckEncoding());
  RETURN_IF_ERROR(database->EnsureSchema());
  auto blobs = std::make_shared<PostgresBlobs>(database);
  return sql::Engine{std::move(database), std::move(blobs)};
}

namespace {

using sql::Work;

// After a connection that could not be made.
constexpr absl::Duration kRetry = absl::Seconds(5);
// Minimum time between two notifications of this process.
constexpr absl::Duration kPause = absl::Milliseconds(20);

struct FreeNotification {
  void operator()(PGnotify* notification) const { PQfreemem(notification); }
};

absl::string_view NameOf(Work work) { return work == Work::kJobs ? "jobs" : "reports"; }

class PostgresWakeUps final : public sql::WakeUps {
 public:
  explicit PostgresWakeUps(Location location)
      : location_(std::move(location)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  ~PostgresWakeUps() override {
    Stop();
    if (wake_ >= 0) close(wake_);
  }

  void Start(OnWork on_work) override {
    if (wake_ < 0) return;  // out of descriptors: no notifications, so waiters poll
    on_work_ = std::move(on_work);
    thread_ = std::thread([this] { Run(); });
  }

  void Stop() override {
    stopping_ = true;
    Wake();
    if (thread_.joinable()) thread_.join();
  }

  void Tell(Work work) override {
    (work == Work::kJobs ? jobs_ : reports_) = true;
    Wake();
  }

 private:
  void Wake() const {
    constexpr uint64_t kOne = 1;
    (void)!write(wake_, &kOne, sizeof kOne);  // if it is full, it wakes, too
  }

  void Run() {
    while (!stopping_) {
      const ConnectionHandle connection(PQconnectdb(location_.connection_url.c_str()));
      PQsetNoticeProcessor(
          connection.get(), [](void*, const char*) {}, nullptr);
      const bool connected = PQstatus(connection.get()) == CONNECTION_OK;
      if (connected && !SpeaksToOneProcess(connection.get())) return;
      // The listener has lost the connection, and reconnects at once.
      if (!connected || !ListenOn(connection.get())) WaitAtMost(kRetry);
    }
  }

  // Until the connection is lost, or this ends. Whether it could listen.
  bool ListenOn(PGconn* connection) {
    const ResultHandle listening(PQexec(connection, "LISTEN gprofhub"));
    if (PQresultStatus(listening.get()) != PGRES_COMMAND_OK) return false;
    on_work_(Work::kJobs);
    on_work_(Work::kReports);
    while (!stopping_) {
      const bool told = TellOthers(connection);
      Hear(connection);
      if (PQstatus(connection) != CONNECTION_OK) break;
      // Notifications that arrive meanwhile are sent as one.
      told ? WaitAtMost(kPause) : WaitForNews(connection);
      if (PQconsumeInput(connection) != 1) break;
    }
    return true;
  }

  // Sends the pending notifications. Returns whether there were any.
  bool TellOthers(PGconn* connection) {
    std::string words;
    for (const Work work : {Work::kJobs, Work::kReports}) {
      if (!(work == Work::kJobs ? jobs_ : reports_).exchange(false)) continue;
      absl::StrAppend(&words, "NOTIFY gprofhub, '", NameOf(work), "';");
    }
    if (words.empty()) return false;
    const ResultHandle said(PQexec(connection, words.c_str()));
    return true;
  }

  void Hear(PGconn* connection) {
    while (true) {
      const std::unique_ptr<PGnotify, FreeNotification> notification(PQnotifies(connection));
      if (notification == nullptr) return;
      // Skips notifications from this process: its threads are notified directly.
      if (notification->be_pid == PQbackendPID(connection)) continue;
      for (const Work work : {Work::kJobs, Work::kReports}) {
        if (NameOf(work) == notification->extra) on_work_(work);
      }
    }
  }

  // Until a notification arrives or is to be sent.
  void WaitForNews(PGconn* connection) const {
    pollfd waits[] = {{wake_, POLLIN, 0}, {PQsocket(connection), POLLIN, 0}};
    while (poll(waits, 2, -1) < 0 && errno == EINTR) {
    }
    Drain();
  }

  void WaitAtMost(absl::Duration time) const {
    pollfd end = {wake_, POLLIN, 0};
    // Notifications during the wait do not end it early; the destructor does.
    const absl::Time until = absl::Now() + time;
    for (absl::Duration left = time; left > absl::ZeroDuration() && !stopping_;
         left = until - absl::Now()) {
      poll(&end, 1, static_cast<int>(absl::ToInt64Milliseconds(left) + 1));
      if (!stopping_) Drain();
    }
  }

  void Drain() const {
    uint64_t count = 0;
    (void)!read(wake_, &count, sizeof count);
  }

  const Location location_;
  const int wake_;  // is written to when a notification is to be sent, or at the end
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> jobs_ = false, reports_ = false;  // to be sent
  OnWork on_work_;
  std::thread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<sql::WakeUps>> MakeWakeUps(absl::string_view url,
                                                          const PostgresOptions& options) {
  ASSIGN_OR_RETURN(Location location, ParseLocation(url, options));
  return std::make_unique<PostgresWakeUps>(std::move(location));
}

}  // namespace gprofhub::store::postgres
