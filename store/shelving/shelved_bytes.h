// Engine wrapper that reads archived blobs transparently.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "store/objects/object_store.h"
#include "store/sql/engine.h"

namespace gprofhub::store {

// The same engine, whose BlobBytes::Read also returns archived bytes; like all its results they are
// not verified. DATA_LOSS if they are missing from the archive. Without an archive (null), reading
// an archived blob is FAILED_PRECONDITION. Errors are those of CheckShelf.
absl::StatusOr<sql::Engine> WithShelf(const sql::Engine& engine,
                                      std::shared_ptr<ObjectStore> shelf);

}  // namespace gprofhub::store
