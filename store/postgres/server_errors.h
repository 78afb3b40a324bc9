// Errors of PostgreSQL and libpq as absl::Status.
#pragma once

#include <libpq-fe.h>

#include "absl/status/status.h"
#include "store/postgres/location.h"

namespace gprofhub::store::postgres {

// Maps a statement's error. ABORTED: the transaction lost a conflict with another one; retry.
// UNAVAILABLE: the connection is lost. DEADLINE_EXCEEDED: the server cancelled a statement at its
// timeout. Messages name the database: clients get a different text (base/public_message.h).
absl::Status StatementError(const Location& location, const PGresult* result);

// UNAVAILABLE, with libpq's reason for the missing or lost connection.
absl::Status ConnectionError(const Location& location, const PGconn* connection);

}  // namespace gprofhub::store::postgres
