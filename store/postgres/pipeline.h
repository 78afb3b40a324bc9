// Pipelined statements.
//
// Waiting for each answer costs a round trip and two context switches per statement. libpq's
// pipeline mode (https://www.postgresql.org/docs/15/libpq-pipeline-mode.html) sends several
// statements together, and receives their answers together. After a failed statement the server
// skips those that follow.
//
// Parsing and planning dominate the cost of small statements. So the connection prepares the
// statements of uploads under a name. A pooler may give each transaction to another process of the
// server, which does not know the name: behind a pooler nothing is prepared.
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
  // Both outlive it. The connection does nothing else but in Script. Without `keeps` there is a
  // pooler between.
  Pipeline(const Location& location, PGconn* connection, bool keeps);

  // Whether to keep a statement for the next time.
  enum class Keep { kNo, kYes };

  // Queues a statement in libpq. After an error the connection is lost.
  absl::Status Send(absl::string_view sql, absl::Span<const sql::Parameter> parameters, Keep keep);

  // Sends queued statements, and waits for the answers since the last Wait, in order. Returns the
  // error of the first failed statement.
  absl::StatusOr<std::vector<ResultHandle>> Wait();

  // Sends queued statements. Their answers are ignored.
  void Leave();

  // Runs statements without parameters and rows. Nothing may be on its way.
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
  // What the next answers belong to, in order: the statement that is to be kept, or "" for one that
  // is run.
  std::vector<std::string> sent_;
  int left_ = 0;  // calls of Leave whose answers are still to come
};

}  // namespace gprofhub::store::postgres
