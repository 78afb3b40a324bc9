// What an engine gives the store: its side of both seams.
#pragma once

#include <memory>

#include "store/sql/blob_bytes.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Shared by the parts of a store: the last one closes it.
struct Engine {
  std::shared_ptr<Database> database;  // has the current schema
  std::shared_ptr<BlobBytes> blob_bytes;
};

}  // namespace gprofhub::store::sql
