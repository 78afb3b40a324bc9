// Reads what is shelved as if it lay in the store.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "store/objects/object_store.h"
#include "store/sql/engine.h"

namespace gprofhub::store {

// The same engine, whose BlobBytes::Read gives shelved bytes, too: unchecked, as all that it gives.
// DATA_LOSS if they have gone from the shelf. Without a shelf (null) it is FAILED_PRECONDITION to
// read what is shelved. Errors are those of CheckShelf.
absl::StatusOr<sql::Engine> WithShelf(const sql::Engine& engine,
                                      std::shared_ptr<ObjectStore> shelf);

}  // namespace gprofhub::store
