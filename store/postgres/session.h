// An open transaction of PostgreSQL.
#pragma once

#include <cstdint>
#include <pqxx/transaction>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "store/postgres/location.h"
#include "store/postgres/socket_watch.h"
#include "store/sql/database.h"

namespace gprofhub::store::postgres {

// `location`, `transaction` and `watched` outlive the session. Errors are those of ToStatus
// (connection_pool.h). A statement that is not answered in time is cut.
class PostgresSession final : public sql::Session {
 public:
  PostgresSession(const Location& location, pqxx::work& transaction, SocketWatch::Watched& watched,
                  absl::Duration answer)
      : location_(location), transaction_(transaction), watched_(watched), answer_(answer) {}

  absl::StatusOr<sql::Rows> Query(absl::string_view sql,
                                  absl::Span<const sql::Parameter> parameters) override;
  // The row carries the bytes.
  absl::Status AddBlob(const Blob& blob) override;
  absl::Status RemoveBlobBytes(const BlobName& name) override;

  // Runs statements without parameters and rows.
  absl::Status Script(absl::string_view sql);

  // Statements of this transaction may take as long as they want from now on, as a change of the
  // schema does.
  absl::Status TakeAnyTime();

 private:
  // A statement with so many bytes of parameters follows.
  void Allow(uint64_t bytes);

  const Location& location_;
  pqxx::work& transaction_;
  SocketWatch::Watched& watched_;
  absl::Duration answer_;
};

}  // namespace gprofhub::store::postgres
