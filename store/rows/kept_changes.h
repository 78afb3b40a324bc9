// What was found of branches' changes: one row for each branch and configuration.
//
// A row says which runs it was made of, and of which revision each of them was. Who reads it
// compares that with the runs that there are, so a row that is out of date does no harm. It goes
// with the first of its runs that is deleted, because it tells of that run.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/records/history.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Puts `kept` in place of what the branch has, if its runs are all as they were. Then nobody needs
// to look at the branch for their sake.
absl::Status PutKeptChanges(Session& session, const Dialect& dialect, const BranchKey& branch,
                            const KeptChanges& kept);

// Whether TakeUnkeptRun would give one.
absl::StatusOr<bool> HasUnkeptRun(Session& session, absl::Time now);

// A run of a branch that nobody has looked at since its report was due, and that is nobody else's
// to look at from now on; of several the one that was due last. nullopt if there is none.
absl::StatusOr<std::optional<int64_t>> TakeUnkeptRun(Session& session, const Dialect& dialect,
                                                     absl::Time now);

// nullopt if the branch has none.
absl::StatusOr<std::optional<KeptChanges>> ReadKeptChanges(Session& session,
                                                           const BranchKey& branch);

// Takes away what may tell of this run, which is still there.
absl::Status DropChangesOf(Session& session, int64_t run_id);

}  // namespace gprofhub::store::sql
