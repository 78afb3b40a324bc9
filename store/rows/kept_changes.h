// Cache of branches' changes: one row per branch and configuration.
//
// A row contains the runs that it was computed from, with their revisions. Readers compare these
// with the current runs, so an outdated row does no harm. A row is deleted with the first of its
// runs, because it shows data of that run.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/records/history.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Replaces the branch's row by `kept` if all its runs still have these revisions. Then the branch
// needs no recomputation for them.
absl::Status PutKeptChanges(Session& session, const Dialect& dialect, const BranchKey& branch,
                            const KeptChanges& kept);

// Whether TakeUnkeptRun would return a run.
absl::StatusOr<bool> HasUnkeptRun(Session& session, absl::Time now);

// Claims a run whose branch has not been recomputed since the run's report was due; of several the
// one that was due last. nullopt if there is none.
absl::StatusOr<std::optional<int64_t>> TakeUnkeptRun(Session& session, const Dialect& dialect,
                                                     absl::Time now);

// nullopt if the branch has no row.
absl::StatusOr<std::optional<KeptChanges>> ReadKeptChanges(Session& session,
                                                           const BranchKey& branch);

// Deletes rows that may contain this run, which still exists.
absl::Status DropChangesOf(Session& session, int64_t run_id);

}  // namespace gprofhub::store::sql
