// An open transaction of PostgreSQL.
#pragma once

#include <pqxx/transaction>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "store/postgres/location.h"
#include "store/sql/database.h"

namespace gprofhub::store::postgres {

// `location` and `transaction` outlive the session. Errors are those of ToStatus
// (connection_pool.h).
class PostgresSession final : public sql::Session {
 public:
  PostgresSession(const Location& location, pqxx::work& transaction)
      : location_(location), transaction_(transaction) {}

  absl::StatusOr<sql::Rows> Query(absl::string_view sql,
                                  absl::Span<const sql::Parameter> parameters) override;
  // The row carries the bytes.
  absl::Status AddBlob(const Blob& blob) override;

  // Runs statements without parameters and rows.
  absl::Status Script(absl::string_view sql);

 private:
  const Location& location_;
  pqxx::work& transaction_;
};

}  // namespace gprofhub::store::postgres
