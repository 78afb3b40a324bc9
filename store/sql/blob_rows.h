// The rows that name blobs.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Those of `names` that have no row, in the same order.
absl::StatusOr<std::vector<BlobName>> FindMissingBlobs(Session& session, const Dialect& dialect,
                                                       const std::vector<BlobName>& names);

}  // namespace gprofhub::store::sql
