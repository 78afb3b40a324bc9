// Connections to one PostgreSQL database, and pqxx's exceptions as absl::Status.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <pqxx/connection>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/postgres/location.h"
#include "store/postgres/options.h"
#include "store/postgres/socket_watch.h"
#include "store/sql/database.h"

namespace gprofhub::store::postgres {

// What an exception of the library means. ABORTED: the transaction lost a conflict with
// another one; try it again. UNAVAILABLE: the connection is lost. DEADLINE_EXCEEDED: the server
// ended a statement that took too long. Messages name the database: clients are told other words
// (base/public_message.h).
absl::Status ToStatus(const Location& location, const std::exception& exception);

// An open connection, and a second descriptor of its socket, which SocketWatch may shut down even
// while libpq closes its own.
class WatchedConnection {
 public:
  // Throws what pqxx::connection throws.
  explicit WatchedConnection(const Location& location);
  ~WatchedConnection();
  WatchedConnection(const WatchedConnection&) = delete;
  WatchedConnection& operator=(const WatchedConnection&) = delete;

  pqxx::connection& get() { return connection_; }
  int socket() const { return socket_; }

 private:
  pqxx::connection connection_;
  const int socket_;
};

// A fixed number of connections at most. A thread that finds none waits for one. Safe to use
// from several threads.
class ConnectionPool {
 public:
  ConnectionPool(Location location, const PostgresOptions& options);

  // A connection. At the end it goes back to the pool, unless it is broken.
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
    // Whether it was opened for this lease. A connection that idled may be stale.
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

  // UNAVAILABLE if no connection can be made, or if others use all of them for too long.
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

}  // namespace gprofhub::store::postgres
