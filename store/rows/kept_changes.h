// Cached changes of branches: one row for each branch and configuration.
//
// A row lists the runs that it was computed from, with their revisions. Readers compare them with
// the current runs, so a stale row does no harm. The row is deleted with the first of its runs,
// because it contains data of that run.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/records/history.h"
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

}  // namespace gprofhub::store::sql
