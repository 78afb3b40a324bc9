// A transaction of PostgreSQL.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "store/postgres/pipeline.h"
#include "store/postgres/socket_watch.h"
#include "store/sql/database.h"

namespace gprofhub::store::postgres {

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

  // UNKNOWN if the connection was lost meanwhile: it may have taken effect. After any other error
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
