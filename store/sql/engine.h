// The interface of an engine: its implementation of both seams.
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
  // Storage of archived blobs (store/archive/archiving.h); null: unknown. The code that sets it
  // also lets `blob_bytes` read there (store/archive/archived_bytes.h).
  std::shared_ptr<ObjectStore> archive = nullptr;
};

}  // namespace sql
}  // namespace gprofhub::store
