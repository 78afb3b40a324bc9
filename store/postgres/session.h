// A transaction of PostgreSQL.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "store/postgres/pipeline.h"
#include "store/sql/database.h"

namespace gprofhub::store::postgres {

// Shuts down connections whose peer does not answer.
//
// libpq waits without limit for an answer. A server that is stopped or hung, or whose machine is,
// may never answer, and TCP's own limits do not help as long as the machine's kernel lives. So a
// thread watches the waiting connections, and shuts down the socket of one that has waited for too
// long. libpq then reports a broken connection.

class SocketWatch {
 public:
  // Looks every `tick`.
  explicit SocketWatch(absl::Duration tick);
  ~SocketWatch();
  SocketWatch(const SocketWatch&) = delete;
  SocketWatch& operator=(const SocketWatch&) = delete;

  // A socket that is watched, for as long as this lives. Used by one thread.
  class Watched {
   public:
    // Not before Allow is anything cut. `socket` stays open for as long as this lives.
    Watched(SocketWatch& watch, int socket);
    ~Watched();
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

    // Shuts the socket down after this time from now; never if absl::InfiniteDuration().
    void Allow(absl::Duration time);
    // Whether it was cut.
    bool WasCut() const;

   private:
    friend class SocketWatch;
    SocketWatch& watch_;
    const int socket_;
    // Guarded by watch_.mutex_; in nanoseconds of CLOCK_MONOTONIC.
    int64_t until_;
    bool cut_ = false;
  };

 private:
  void Run();

  const absl::Duration tick_;
  mutable std::mutex mutex_;
  std::condition_variable ending_changed_;
  bool ending_ = false;            // guarded by mutex_
  std::vector<Watched*> watched_;  // guarded by mutex_
  std::thread thread_;             // last: it uses all of the above
};

// A transaction that begins with its first statement. Errors are those of server_errors.h. A
// statement without a timely answer is cancelled by closing the connection. The creator calls
// Commit or RollBack at the end.
class PostgresSession final : public sql::Session {
 public:
  // `pipeline` and `watched` outlive it.
  PostgresSession(Pipeline& pipeline, SocketWatch::Watched& watched, absl::Duration answer)
      : pipeline_(pipeline), watched_(watched), answer_(answer) {}

  absl::StatusOr<sql::Rows> Query(absl::string_view sql,
                                  absl::Span<const sql::Parameter> parameters) override;
  // Takes one round trip. Prepares the statements, as Send does.
  absl::StatusOr<std::vector<sql::Rows>> QueryAll(
      absl::Span<const sql::Statement> statements) override;
  // Pipelined with the statements that follow.
  absl::Status Send(absl::string_view sql, absl::Span<const sql::Parameter> parameters) override;
  // The row carries the bytes.
  absl::Status AddBlob(const Blob& blob) override;
  absl::Status RemoveBlobBytes(const BlobName& name) override;

  // Runs statements without parameters and rows.
  absl::Status Script(absl::string_view sql);

  // Lifts the time limits of the rest of this transaction, for creating the schema.
  absl::Status TakeAnyTime();

  // UNKNOWN if the connection was lost meanwhile: it may have taken effect; and if a synchronous
  // standby has not confirmed it: it may be lost with the primary. After any other error
  // it has no effect, and the transaction is to be rolled back.
  absl::Status Commit();
  // With `wait`, its locks are released on return; else soon.
  void RollBack(bool wait);

 private:
  absl::Status Send(absl::string_view sql, absl::Span<const sql::Parameter> parameters,
                    Pipeline::Keep keep);
  absl::StatusOr<std::vector<ResultHandle>> Wait();

  Pipeline& pipeline_;
  SocketWatch::Watched& watched_;
  absl::Duration answer_;
  bool begun_ = false;
  size_t unread_ = 0;          // statements whose results precede the next one's
  uint64_t unread_bytes_ = 0;  // of their parameters
};

}  // namespace gprofhub::store::postgres
