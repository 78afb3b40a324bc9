// Rows of blobs that are held while bytes are moved.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store {

// Those of the blobs that have rows, in the order of the names. Until the transaction ends none
// goes, and none is packed, shelved or sent again.
absl::StatusOr<std::vector<BlobName>> LockBlobs(sql::Session& session, const sql::Dialect& dialect,
                                                const std::vector<BlobName>& names);

}  // namespace gprofhub::store
