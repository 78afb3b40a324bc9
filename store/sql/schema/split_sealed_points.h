// The work of schema version 25: packed points become a row for each function.
#pragma once

#include "absl/status/status.h"
#include "store/sql/database.h"
#include "store/sql/migrations.h"

namespace gprofhub::store::sql {

// Makes rows of sealed_runs and sealed_points of those of sealed_buckets, which it drops. A
// MigrationWork. FAILED_PRECONDITION if there are some and `opening` cannot split them.
absl::Status SplitSealedPoints(Session& session, const Opening& opening);

}  // namespace gprofhub::store::sql
