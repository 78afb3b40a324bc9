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
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "store/postgres/handles.h"
#include "store/postgres/location.h"
#include "store/sql/database.h"

namespace gprofhub::store::postgres {

// Used by one thread. Errors are those of server_errors.h.
class Pipeline {
 public:
  // Both outlive it. The connection is not used elsewhere, except in Script. `keeps` is false
  // behind a pooler.
  Pipeline(const Location& location, PGconn* connection, bool keeps);

  // Whether to prepare a statement for reuse.
  enum class Keep { kNo, kYes };

  // Queues a statement in libpq. After an error the connection is lost.
  absl::Status Send(absl::string_view sql, absl::Span<const sql::Parameter> parameters, Keep keep);

  // Flushes, and waits for the results since the last Wait, in order. The error is that of the
  // first statement that failed.
  absl::StatusOr<std::vector<ResultHandle>> Wait();

  // Flushes, and discards the results.
  void Leave();

  // Runs statements without parameters and rows. The pipeline must be empty.
  absl::Status Script(absl::string_view sql);

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
};

}  // namespace gprofhub::store::postgres
