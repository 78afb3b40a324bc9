// The blobs of an execution on their way in.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Those that the execution's images and profiles name, each once. They are in the order of the
// names: all uploads add their blobs in that order, so no two of them wait for each other.
class ExecutionBlobs {
 public:
  // `execution` outlives it.
  explicit ExecutionBlobs(const NewExecution& execution);

  // Those of them whose bytes are to be staged: the project has not sent them before.
  // FAILED_PRECONDITION if the bytes of one were not given.
  absl::StatusOr<std::vector<const Blob*>> ToStage(Session& session, const Dialect& dialect) const;

  // Adds the rows of the staged ones, and marks all as used. FAILED_PRECONDITION, with IsBlobGone,
  // if one that ToStage found has gone since.
  absl::Status AddRows(Session& session, const Dialect& dialect,
                       absl::Span<const Blob* const> staged) const;

 private:
  const NewExecution& execution_;
  std::vector<BlobName> names_;
};

// Whether all may begin anew: then the blob's bytes are among those to be staged.
bool IsBlobGone(const absl::Status& status);

}  // namespace gprofhub::store::sql
