// Reads archived blobs as if they were in the database.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "store/objects/object_store.h"
#include "store/sql/engine.h"

namespace gprofhub::store {

// Engine wrapper whose BlobBytes::Read also returns archived bytes, unchecked as all bytes it
// returns. Read is DATA_LOSS if the archive lacks them, and FAILED_PRECONDITION without an archive
// (null). Errors are those of CheckArchive.
absl::StatusOr<sql::Engine> WithArchive(const sql::Engine& engine,
                                        std::shared_ptr<ObjectStore> archive);

}  // namespace gprofhub::store
