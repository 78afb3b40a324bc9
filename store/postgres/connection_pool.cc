#include "store/postgres/connection_pool.h"

#include <pqxx/except>
#include <pqxx/nontransaction>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::store::postgres {
namespace {

constexpr int kMaxConnections = 16;

}  // namespace

absl::Status ToStatus(const Location& location, const std::exception& exception) {
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
    // Connection exceptions, and a server that shuts down or starts.
    if (absl::StartsWith(state, "08") || absl::StartsWith(state, "57P")) {
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

absl::StatusOr<std::unique_ptr<pqxx::connection>> ConnectionPool::Connect() const {
  try {
    auto connection = std::make_unique<pqxx::connection>(location_.connection_url);
    // OK means durable, whatever the server's default is.
    if (connection->get_variable("synchronous_commit") == "off") {
      connection->set_variable("synchronous_commit", "on");
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
    returned_.wait(lock, [this] { return !idle_.empty() || open_ < kMaxConnections; });
    --waiting_;
    if (!idle_.empty()) {
      std::unique_ptr<pqxx::connection> connection = std::move(idle_.back());
      idle_.pop_back();
      return Lease(this, std::move(connection), /*fresh=*/false);
    }
    ++open_;
  }
  absl::StatusOr<std::unique_ptr<pqxx::connection>> connection = Connect();
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

void ConnectionPool::Return(std::unique_ptr<pqxx::connection> connection) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (connection == nullptr) {
    --open_;
  } else {
    idle_.push_back(std::move(connection));
  }
  returned_.notify_one();
}

void ConnectionPool::CloseIdle() {
  std::vector<std::unique_ptr<pqxx::connection>> closing;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing.swap(idle_);
    open_ -= static_cast<int>(closing.size());
  }
  returned_.notify_all();
}

}  // namespace gprofhub::store::postgres
