// Errors of PostgreSQL and libpq as absl::Status.
#pragma once

#include <libpq-fe.h>

#include "absl/status/status.h"
#include "store/postgres/location.h"

namespace gprofhub::store::postgres {

// Maps a statement's error. ABORTED: the transaction lost a conflict with another one; retry it.
// UNAVAILABLE: the connection is lost. DEADLINE_EXCEEDED: the server ended a statement that took
// too long. Messages name the database; clients get another message (base/public_message.h).
absl::Status StatementError(const Location& location, const PGresult* result);

// UNAVAILABLE, with libpq's reason why the connection failed.
absl::Status ConnectionError(const Location& location, const PGconn* connection);

}  // namespace gprofhub::store::postgres
