// The store's seams in a PostgreSQL database, for any number of processes at once.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/postgres/options.h"
#include "store/sql/engine.h"
#include "store/sql/migrations.h"

namespace gprofhub::store::postgres {

// Opens the database that `url` names; in an empty one it creates the tables. The database must
// exist, have the encoding UTF8, and let the user create tables. INVALID_ARGUMENT for a malformed
// URL. UNAVAILABLE if the server cannot be reached or refuses the user. FAILED_PRECONDITION for
// another encoding; for the schema see StepsToOpen. Messages do not contain the password.
absl::StatusOr<sql::Engine> OpenPostgres(absl::string_view url, const Opening& opening = {},
                                         const PostgresOptions& options = {});

}  // namespace gprofhub::store::postgres
