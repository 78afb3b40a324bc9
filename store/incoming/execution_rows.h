// The rows of an execution, and the job that it makes.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// A cached result whose uploader does not have the profile.
bool NeedsProfiles(const NewExecution& execution);

// The data that `execution` views outlives the statements.
//
// Adds the execution's target to its run, unless it is there, or the run is not.
Statement AddTargetUnlessThere(const NewExecution& execution);
// Adds the execution to its target, unless it is there, or the target is not.
Statement AddExecutionUnlessThere(const NewExecution& execution);
// Finds the execution's profiles.
Statement FindProfiles(const NewExecution& execution);

struct AddedExecution {
  int64_t id = 0;
  int64_t target_id = 0;
};
// The row that AddExecutionUnlessThere has added; nullopt if it existed. FAILED_PRECONDITION if the
// execution includes results so old that their profiles are deleted: the sum would lack them.
absl::StatusOr<std::optional<AddedExecution>> CheckAdded(const Rows& rows,
                                                         const NewExecution& execution);

// The results of FindProfiles: the number of profiles of the stored execution; nullopt if it does
// not exist. For an execution that needed profiles, the ones found. ALREADY_EXISTS if it has
// different ones.
absl::StatusOr<std::optional<uint32_t>> CheckSameProfiles(const Rows& rows,
                                                          const NewExecution& execution);

// Sends the rows of its images and profiles, whose blobs have rows.
absl::Status AddImagesAndProfiles(Session& session, const Dialect& dialect, int64_t execution_id,
                                  const NewExecution& execution);

// Sends a job for the target, with its turn (store/sql/fair_turns.h), or one more generation for
// the target's job. A leased job stays leased: when its worker ends it, the worker sees the newer
// generation.
absl::Status AddJob(Session& session, int64_t target_id, const NewExecution& execution,
                    absl::Time queued);

}  // namespace gprofhub::store::sql
