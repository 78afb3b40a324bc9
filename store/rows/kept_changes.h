// Cached changes of branches: one row for each branch and configuration.
//
// A row lists the runs that it was computed from, with their revisions. Readers compare them with
// the current runs, so a stale row does no harm. The row is deleted with the first of its runs,
// because it contains data of that run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/records.h"
#include "store/records/summaries.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Replaces the branch's row by `kept`, if all of its runs are unchanged. Then the branch needs no
// new computation because of them.
absl::Status PutKeptChanges(Session& session, const Dialect& dialect, const BranchKey& branch,
                            const KeptChanges& kept);

// Whether TakeUnkeptRun would return one.
absl::StatusOr<bool> HasUnkeptRun(Session& session, absl::Time now);

// A run of a branch whose changes were not computed since its report was due; of several the one
// that was due last. From now on it belongs to the caller. nullopt without such a run.
absl::StatusOr<std::optional<int64_t>> TakeUnkeptRun(Session& session, const Dialect& dialect,
                                                     absl::Time now);

// nullopt if the branch has no row.
absl::StatusOr<std::optional<KeptChanges>> ReadKeptChanges(Session& session,
                                                           const BranchKey& branch);

// Deletes rows that may contain data of this run, which still exists.
absl::Status DropChangesOf(Session& session, int64_t run_id);

// Numbers of a run's targets in each state.
//
// Counting takes a look at each of the run's targets. For a run without analyses under way the
// counts are stored in its row, next to the revision (records/history.h) that they were counted at.
// They are valid as long as the run has that revision. Every transaction that changes its targets
// increases the revision (sql/due_reports.h). An upload need not do so while the run has no counts:
// it locks the run against concurrent counting (incoming/run_rows.h).

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

// Runs by a filter: whole rows, or only the columns for a history.

// The columns of the filter's runs, in the filter's order.
absl::StatusOr<Rows> ListRunRows(Session& session, absl::string_view columns,
                                 const RunFilter& filter);

absl::StatusOr<std::vector<RunHead>> ListRunHeads(Session& session, const RunFilter& filter);

absl::StatusOr<std::vector<RunState>> ListRunStates(Session& session, const RunFilter& filter);

// Deletes the rows of a run.

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
