// Numbers of a run's targets in each state.
//
// Counting reads each of the run's targets. For a run without pending analyses the numbers are
// cached in its row, with the revision (records/history.h) at which they were counted, and are
// valid at that revision. A transaction that changes results of targets increments the revision
// (sql/due_reports.h). An upload need not do so while nothing is cached: its lock on the run
// prevents concurrent counting (incoming/run_rows.h).
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Returns the numbers of each existing run, in order: cached if valid, else counted.
absl::StatusOr<std::vector<TargetCounts>> ReadCounts(Session& session, const Dialect& dialect,
                                                     const std::vector<int64_t>& run_ids);

struct KeptCounts {
  int64_t looked_at = 0;  // runs
  int64_t kept = 0;       // of them
  int64_t last_id = 0;    // of the runs looked at
};

// Counts the targets of at most `limit` runs with ids above `after` that have changed since they
// were counted and have no pending analysis. Skips runs that other transactions are changing.
absl::StatusOr<KeptCounts> KeepCounts(Session& session, const Dialect& dialect, int64_t after,
                                      int64_t limit);

}  // namespace gprofhub::store::sql
