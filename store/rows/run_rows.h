// Deletes the rows of a run.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Locks the run's first `limit` targets and returns their ids. The caller has locked the run:
// uploads and workers take that lock first, too. An upload in progress holds its target, and locks
// the job last: the opposite order would deadlock.
absl::StatusOr<std::vector<int64_t>> LockTargets(Session& session, const Dialect& dialect,
                                                 int64_t run_id, int64_t limit);

// Deletes these targets of the run with their dependent rows.
absl::Status DeleteTargets(Session& session, const Dialect& dialect, int64_t run_id,
                           const std::vector<int64_t>& target_ids);

// Deletes the run, which has no targets any more, with its dependent rows.
absl::Status DeleteRunRow(Session& session, int64_t run_id);

// Deletes the profiles of these executions, and the references to their images. `removed`:
// retention is the reason (execution.profiles_removed). Returns the number of profiles.
absl::StatusOr<int64_t> DeleteProfiles(Session& session, const Dialect& dialect,
                                       const std::vector<int64_t>& execution_ids, bool removed);

}  // namespace gprofhub::store::sql
