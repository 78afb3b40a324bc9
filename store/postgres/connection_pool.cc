#include "store/postgres/connection_pool.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "store/postgres/pooler.h"
#include "store/postgres/server_errors.h"

namespace gprofhub::store::postgres {
namespace {

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
    return absl::FailedPreconditionError(absl::StrCat(
        location.display,
        ": the server says that data is stored before it is (synchronous_commit is off), and the "
        "pooler before it leaves no way to change that for a connection: ALTER ROLE … SET "
        "synchronous_commit = on"));
  }
  const ResultHandle set(PQexec(connection, "SET synchronous_commit = on"));
  return PQresultStatus(set.get()) == PGRES_COMMAND_OK ? absl::OkStatus()
                                                       : StatementError(location, set.get());
}

}  // namespace

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
        absl::StrCat(location_.display, ": no descriptor is left to watch the connection"));
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

}  // namespace gprofhub::store::postgres
