// Errors of PostgreSQL and libpq as absl::Status.
#pragma once

#include <libpq-fe.h>

#include "absl/status/status.h"
#include "store/postgres/location.h"

namespace gprofhub::store::postgres {

// What a statement's error means. ABORTED: the transaction lost a conflict with another one; try it
// again. UNAVAILABLE: the connection is lost. DEADLINE_EXCEEDED: the server ended a statement that
// took too long. Messages name the database: clients are told other words
// (base/public_message.h).
absl::Status StatementError(const Location& location, const PGresult* result);

// UNAVAILABLE, in the words of libpq for why there is no connection (any more).
absl::Status ConnectionError(const Location& location, const PGconn* connection);

}  // namespace gprofhub::store::postgres
