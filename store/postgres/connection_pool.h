// Connections to one PostgreSQL database, and pqxx's exceptions as absl::Status.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <pqxx/connection>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/postgres/location.h"
#include "store/sql/database.h"

namespace gprofhub::store::postgres {

// What an exception of the library means. ABORTED: the transaction lost a conflict with
// another one; try it again. UNAVAILABLE: the connection is lost.
absl::Status ToStatus(const Location& location, const std::exception& exception);

// A fixed number of connections at most. A thread that finds none waits for one. Safe to use
// from several threads.
class ConnectionPool {
 public:
  explicit ConnectionPool(Location location) : location_(std::move(location)) {}

  // A connection. At the end it goes back to the pool, unless it is broken.
  class Lease {
   public:
    Lease(ConnectionPool* pool, std::unique_ptr<pqxx::connection> connection, bool fresh)
        : pool_(pool), connection_(std::move(connection)), fresh_(fresh) {}
    ~Lease() {
      if (pool_ != nullptr) pool_->Return(std::move(connection_));
    }
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)),
          connection_(std::move(other.connection_)),
          fresh_(other.fresh_) {}
    Lease& operator=(Lease&&) = delete;

    pqxx::connection& connection() { return *connection_; }
    // Whether it was opened for this lease. A connection that idled may be stale.
    bool fresh() const { return fresh_; }
    // Closes it and all idle ones: the server has ended or was started again.
    void Broken() {
      connection_.reset();
      pool_->CloseIdle();
    }

   private:
    ConnectionPool* pool_;
    std::unique_ptr<pqxx::connection> connection_;
    bool fresh_;
  };

  absl::StatusOr<Lease> Take();
  sql::Connections load() const;
  const Location& location() const { return location_; }

 private:
  absl::StatusOr<std::unique_ptr<pqxx::connection>> Connect() const;
  void Return(std::unique_ptr<pqxx::connection> connection);
  void CloseIdle();

  const Location location_;
  mutable std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<pqxx::connection>> idle_;  // guarded by mutex_
  int open_ = 0;                                         // guarded by mutex_; leased or idle
  uint32_t waiting_ = 0;                                 // guarded by mutex_
};

}  // namespace gprofhub::store::postgres
