// Connections to one PostgreSQL database.
#pragma once

#include <unistd.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/postgres/handles.h"
#include "store/postgres/location.h"
#include "store/postgres/options.h"
#include "store/postgres/pipeline.h"
#include "store/postgres/socket_watch.h"
#include "store/sql/database.h"

namespace gprofhub::store::postgres {

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

}  // namespace gprofhub::store::postgres
