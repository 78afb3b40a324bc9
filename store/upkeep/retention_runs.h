// The two halves of retention (retention.h), for one project.
#pragma once

#include "absl/status/status.h"
#include "store/records/records.h"
#include "store/sql/database.h"
#include "store/upkeep/retention_policy.h"

namespace gprofhub::store {

// Deletes expired runs. Adds the deleted data to `freed`, also before an error.
absl::Status ThinOutRuns(sql::Database& database, const RetentionPolicy& policy,
                         const RetentionOptions& options, const Actor& by, Freed& freed);

// Removes the profiles of runs that are older than raw_days.
absl::Status RemoveRawProfiles(sql::Database& database, const RetentionPolicy& policy,
                               const RetentionOptions& options, const Actor& by, Freed& freed);

}  // namespace gprofhub::store
