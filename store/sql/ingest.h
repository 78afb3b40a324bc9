// Executions on their way in.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/records.h"
#include "store/sql/database.h"

namespace gprofhub::sql {

// Those of `names` that have no row, in the same order.
absl::StatusOr<std::vector<BlobName>> MissingBlobs(Session& session, const Dialect& dialect,
                                                   const std::vector<BlobName>& names);

// What the database holds of this execution already; nullopt if nothing.
// FAILED_PRECONDITION if its run is there with another commit or configuration,
// ALREADY_EXISTS if the execution is there with other profiles.
absl::StatusOr<std::optional<RecordedExecution>> FindExecution(Session& session,
                                                               const NewExecution& execution);

// Adds the rows and the job of an execution, or finds them (see FindExecution).
// `staged` are those of its blobs that Database::StageBlobs has had.
absl::StatusOr<RecordedExecution> AddExecution(Session& session, const Dialect& dialect,
                                               const NewExecution& execution,
                                               const std::vector<const Blob*>& staged,
                                               absl::Time now);

}  // namespace gprofhub::sql
