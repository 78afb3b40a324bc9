#include "store/postgres/connection_pool.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <pqxx/except>
#include <pqxx/nontransaction>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/public_message.h"

namespace gprofhub::store::postgres {
namespace {

// How often the watch looks.
absl::Duration Tick(const PostgresOptions& options) {
  return std::min(options.answer / 8, absl::Seconds(1));
}

absl::Status ToNamedStatus(const Location& location, const std::exception& exception) {
  const std::string message =
      absl::StrCat(location.display, ": ",
                   absl::StripAsciiWhitespace(WithoutSecrets(location, exception.what())));
  // A row that was referred to went in the meantime, with its run (store/removal.h).
  if (dynamic_cast<const pqxx::foreign_key_violation*>(&exception) != nullptr) {
    return absl::AbortedError(message);
  }
  if (const auto* sql = dynamic_cast<const pqxx::sql_error*>(&exception)) {
    const std::string& state = sql->sqlstate();
    if (state == "53100") {
      return absl::ResourceExhaustedError(
          absl::StrCat(message,
                       ": the database server's disk is full; free or add space there, "
                       "then try again"));
    }
    if (absl::StartsWith(state, "53")) return absl::ResourceExhaustedError(message);
    // statement_timeout and lock_timeout; an operator may cancel a statement, too.
    if (state == "57014" || state == "55P03") return absl::DeadlineExceededError(message);
    // Connection exceptions, a transaction that was left open, and a server that shuts down or
    // starts.
    if (absl::StartsWith(state, "08") || absl::StartsWith(state, "57P") || state == "25P03") {
      return absl::UnavailableError(message);
    }
    if (state == "42501" || state == "25006") return absl::FailedPreconditionError(message);
    if (absl::StartsWith(state, "XX")) return absl::DataLossError(message);
    return absl::InternalError(absl::StrCat(message, " (SQLSTATE ", state, ")"));
  }
  if (dynamic_cast<const pqxx::serialization_failure*>(&exception) != nullptr ||
      dynamic_cast<const pqxx::deadlock_detected*>(&exception) != nullptr) {
    return absl::AbortedError(message);
  }
  if (dynamic_cast<const pqxx::broken_connection*>(&exception) != nullptr) {
    return absl::UnavailableError(message);
  }
  return absl::InternalError(message);
}

// Whether the server's limits, which the connection gives as `options`, are not in force: a pooler
// stands between, and has dropped them. Then the next transaction may go to another session, too.
bool OptionsWereDropped(pqxx::connection& connection) {
  for (const char* limit :
       {"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"}) {
    if (connection.get_variable(limit) != "0") return false;
  }
  return true;
}

absl::string_view WordsForClients(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kUnavailable:
      return "the database cannot be reached: try again";
    case absl::StatusCode::kDeadlineExceeded:
      return "the database takes too long: try again";
    case absl::StatusCode::kAborted:
      return "others write the same: try again";
    case absl::StatusCode::kResourceExhausted:
      return "the database has no room or no connection left: nothing was stored; try again once "
             "its operator has made room";
    case absl::StatusCode::kDataLoss:
      return "the database is damaged: the server's log says how";
    default:
      return "the database failed: the server's log says how";
  }
}

}  // namespace

absl::Status ToStatus(const Location& location, const std::exception& exception) {
  absl::Status status = ToNamedStatus(location, exception);
  const absl::string_view words = WordsForClients(status.code());
  return base::WithPublicMessage(std::move(status), words);
}

WatchedConnection::WatchedConnection(const Location& location)
    : connection_(location.connection_url), socket_(fcntl(connection_.sock(), F_DUPFD_CLOEXEC, 0)) {
  if (socket_ < 0) throw pqxx::broken_connection("no descriptor is left to watch it");
}

WatchedConnection::~WatchedConnection() { close(socket_); }

ConnectionPool::ConnectionPool(Location location, const PostgresOptions& options)
    : location_(std::move(location)), options_(options), watch_(Tick(options)) {}

absl::StatusOr<std::unique_ptr<WatchedConnection>> ConnectionPool::Connect() {
  try {
    auto connection = std::make_unique<WatchedConnection>(location_);
    SocketWatch::Watched watched(watch_, connection->socket());
    watched.Allow(options_.answer);
    // OK means durable, whatever the server's default is.
    if (connection->get().get_variable("synchronous_commit") == "off") {
      if (OptionsWereDropped(connection->get())) {
        return absl::FailedPreconditionError(absl::StrCat(
            location_.display,
            ": the server says that data is stored before it is (synchronous_commit is off), and "
            "the pooler before it leaves no way to change that for a connection: ALTER ROLE … SET "
            "synchronous_commit = on"));
      }
      connection->get().set_variable("synchronous_commit", "on");
    }
    return connection;
  } catch (const std::exception& exception) {
    return ToStatus(location_, exception);
  }
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
  if (connection == nullptr) {
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
