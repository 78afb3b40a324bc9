// The engine on a PostgreSQL database, shared by any number of processes.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/postgres/options.h"
#include "store/sql/engine.h"

namespace gprofhub::store::postgres {

// Opens the database that `url` names; in an empty one it creates the tables. The database must
// exist, have the encoding UTF8, and let the user create tables. INVALID_ARGUMENT for a
// malformed URL. UNAVAILABLE if the server cannot be reached or refuses the user.
// FAILED_PRECONDITION for another encoding or schema version (store/sql/schema/schema.h). No
// message shows the password.
absl::StatusOr<sql::Engine> OpenPostgres(absl::string_view url,
                                         const PostgresOptions& options = {});

}  // namespace gprofhub::store::postgres
