// Numbers of a run's targets in each state.
//
// Counting takes a look at each of the run's targets. For a run without analyses under way the
// counts are stored in its row, next to the revision (records/history.h) that they were counted at.
// They are valid as long as the run has that revision. Every transaction that changes its targets
// increases the revision (sql/due_reports.h). An upload need not do so while the run has no counts:
// it locks the run against concurrent counting (incoming/run_rows.h).
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// One for each existing run, in order: the stored counts if they are valid, else counted now.
absl::StatusOr<std::vector<TargetCounts>> ReadCounts(Session& session, const Dialect& dialect,
                                                     const std::vector<int64_t>& run_ids);

struct KeptCounts {
  int64_t looked_at = 0;  // runs
  int64_t kept = 0;       // of them
  int64_t last_id = 0;    // of the examined runs
};

// Counts the targets of at most `limit` runs with ids above `after` whose counts are out of date,
// and that have no pending analysis. Runs that other transactions change at the time are left out.
absl::StatusOr<KeptCounts> KeepCounts(Session& session, const Dialect& dialect, int64_t after,
                                      int64_t limit);

}  // namespace gprofhub::store::sql
