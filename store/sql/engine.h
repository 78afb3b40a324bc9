// The two interfaces that an engine provides to the store.
#pragma once

#include <memory>

#include "store/sql/blob_bytes.h"
#include "store/sql/database.h"

namespace gprofhub::store {

class ObjectStore;

namespace sql {

// Shared by the parts of a store: the last one closes it.
struct Engine {
  std::shared_ptr<Database> database;  // has the current schema
  std::shared_ptr<BlobBytes> blob_bytes;
  // Cold storage (store/shelving/shelving.h); null: not configured. If it is set, `blob_bytes`
  // reads from it, too (store/shelving/shelved_bytes.h).
  std::shared_ptr<ObjectStore> shelf = nullptr;
};

}  // namespace sql
}  // namespace gprofhub::store
