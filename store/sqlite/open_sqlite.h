// The embedded engine, the default: a SQLite database and a directory of blobs.
//
// Several processes may open one directory at once. SQLite's locks order their transactions, and a
// job is claimed by at most one of them. A transaction that waits longer than 30 seconds is
// UNAVAILABLE. The file system must be local: SQLite's write-ahead log needs shared memory.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"
#include "store/sqlite/connection.h"

namespace gprofhub::store::sqlite {

// Group commit: transactions of several threads share one commit. A commit costs a disk sync,
// and SQLite has one writer anyway.
//
// A request that arrives while a group is being executed still joins it. So threads that the
// previous commit released are mostly back in time: without it, two groups of half the threads
// would take turns.

class GroupWriter {
 public:
  explicit GroupWriter(std::unique_ptr<Connection> connection)
      : connection_(std::move(connection)) {}

  // Runs `work` in a transaction and returns after the commit, or rolls it back. It may run in
  // another thread that is in Write at the same time.
  absl::Status Write(const sql::Database::Work& work);

  // Threads in Write that are not the leader.
  size_t waiting() const;

 private:
  struct Request {
    const sql::Database::Work* work;
    absl::Status status;
    bool done = false;
    std::condition_variable changed{};  // done, or may lead
  };

  // One transaction for all waiting requests, and those that arrive meanwhile; each in its own
  // savepoint. Returns them, done.
  std::vector<Request*> Commit();
  absl::Status RunAll(std::vector<Request*>& group);
  absl::Status RunOne(Request& request);

  // The standard library's, which ThreadSanitizer understands.
  mutable std::mutex mutex_;
  std::vector<Request*> waiting_;  // guarded by mutex_
  size_t writing_ = 0;             // guarded by mutex_: threads in Write
  bool leading_ = false;           // guarded by mutex_: a thread uses connection_
  const std::unique_ptr<Connection> connection_;
};

// Opens the store in `directory`, which exists for its owner only if this creates it.
// DATA_LOSS if the database is damaged, or has other tables, indexes, triggers or views than the
// schema. FAILED_PRECONDITION if the directory cannot be written, or if the store has another
// schema version (store/sql/schema.h). RESOURCE_EXHAUSTED if the disk is full.
absl::StatusOr<sql::Engine> OpenSqlite(const std::string& directory,
                                       OpenMode mode = OpenMode::kCreate);

}  // namespace gprofhub::store::sqlite
