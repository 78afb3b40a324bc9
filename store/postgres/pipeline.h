// Pipelined statements: several are sent to the server in one round trip.
//
// Waiting for each answer costs a round trip and two context switches per statement. libpq's
// pipeline mode (https://www.postgresql.org/docs/15/libpq-pipeline-mode.html) sends several
// statements together, and receives their answers together. After a failed statement the server
// skips those that follow.
//
// Parsing and planning a small statement each time is expensive for the server. So the connection
// prepares the statements of uploads, by name. A pooler may run each transaction in another backend
// process of the server, which does not know the name: behind a pooler statements are not prepared.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"

namespace gprofhub::store::postgres {

// RAII owners of libpq's handles.
//
// libpq and not libpqxx: libpqxx 6.4, Debian's, cannot send several statements with parameters
// before it waits for an answer (pipeline.h).

struct CloseConnection {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
using ConnectionHandle = std::unique_ptr<PGconn, CloseConnection>;

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using ResultHandle = std::unique_ptr<PGresult, ClearResult>;

// Timeouts of PostgreSQL, and settings for tests.

struct PostgresOptions {
  // Server-side timeouts: of a statement (statement_timeout), of waiting for another transaction's
  // lock (lock_timeout), and of a connection that leaves a transaction open
  // (idle_in_transaction_session_timeout). The parameter `options` of the URL takes precedence.
  absl::Duration statement = absl::Seconds(30);
  absl::Duration lock = absl::Seconds(10);
  absl::Duration idle_in_transaction = absl::Minutes(1);
  // A server that has not answered a statement by then is considered hung; the connection is
  // closed.
  absl::Duration answer = absl::Seconds(45);
  // Timeout of connecting, in whole seconds; libpq's minimum is 2.
  absl::Duration connect = absl::Seconds(10);
  // How long a transaction waits for a leased connection to be returned.
  absl::Duration pool = absl::Seconds(10);
  int connections = 16;
  OpenMode mode = OpenMode::kCreate;
  // This process's clock, which may differ from the database's.
  std::function<absl::Time()> now = absl::Now;
};

// Location of a PostgreSQL database: a URL, which may contain a password.

struct Location {
  // For libpq: the given URL, with our parameters before its own. If both set an option of the
  // server, the URL's takes precedence.
  std::string connection_url;
  // For display: without the password and without parameters.
  std::string display;
  // The password as written in the URL, and decoded; empty without one.
  std::vector<std::string> secrets;
  bool is_replica = false;  // OpenMode::kReplica: all transactions are read-only
};

// Reads "postgresql://[user[:password]@][host[:port]][/database][?parameters]"
// or "postgres://…", in any case. INVALID_ARGUMENT if libpq refuses the URL, or if a part holds a
// character that must be percent-encoded: libpq would take a piece of the password for a host or a
// port, and show it in its messages. The error quotes nothing of the URL.
absl::StatusOr<Location> ParseLocation(absl::string_view url, const PostgresOptions& options = {});

// `message` with every secret of the location replaced by "***".
std::string WithoutSecrets(const Location& location, absl::string_view message);

// Used by one thread. Errors are those of server_errors.h.
class Pipeline {
 public:
  // Both outlive it. The connection is not used elsewhere, except in Script. `keeps` is false
  // behind a pooler.
  Pipeline(const Location& location, PGconn* connection, bool keeps);

  // Whether to prepare a statement for reuse.
  enum class Keep { kNo, kYes };

  // Queues the statement that begins a transaction, as Send does.
  absl::Status Begin();

  // Queues a statement in libpq. After an error the connection is lost.
  absl::Status Send(absl::string_view sql, absl::Span<const sql::Parameter> parameters, Keep keep);

  // Flushes, and waits for the results since the last Wait, in order. The error is that of the
  // first statement that failed.
  absl::StatusOr<std::vector<ResultHandle>> Wait();

  // Flushes, and discards the results.
  void Leave();

  // Runs statements without parameters and rows. The pipeline must be empty.
  absl::Status Script(absl::string_view sql);

  // Whether the server has ended its wait for a synchronous standby since the last call: the commit
  // is on the primary only.
  bool TakeUnconfirmed() { return std::exchange(unconfirmed_, false); }

  // Whether the connection is lost.
  bool Broken() const { return PQstatus(connection_) == CONNECTION_BAD; }

 private:
  absl::StatusOr<std::vector<ResultHandle>> ReadAnswers(const std::vector<std::string>& sent);

  const Location& location_;
  PGconn* const connection_;
  const bool keeps_;
  absl::flat_hash_map<std::string, std::string> names_;  // of what is kept
  int64_t named_ = 0;
  // The statements of the expected results, in order: the name of one to be prepared, or "" for one
  // that is executed.
  std::vector<std::string> sent_;
  int left_ = 0;  // calls of Leave whose results are outstanding
  bool unconfirmed_ = false;
};

// Detects a pooler between a connection and the server.

// Whether the server process that answers is the one that the connection was made with. A pooler
// reports another process id: it hands out cancellation keys of its own.
bool SpeaksToOneProcess(PGconn* connection);

// Errors of PostgreSQL and libpq as absl::Status.

// Maps a statement's error. ABORTED: the transaction lost a conflict with another one; retry.
// UNAVAILABLE: the connection is lost, or the server is read-only although this process writes, as
// during a failover: connect again. DEADLINE_EXCEEDED: the server cancelled a statement at its
// timeout. Messages name the database: clients get a different text (base/status.h).
absl::Status StatementError(const Location& location, const PGresult* result);

// UNAVAILABLE, with libpq's reason for the missing or lost connection.
absl::Status ConnectionError(const Location& location, const PGconn* connection);

}  // namespace gprofhub::store::postgres
