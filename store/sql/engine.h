// What an engine gives the store: its side of both seams.
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
  // Where old bytes lie (store/archive/archiving.h); null: not known. Who gives it to an engine
  // sees to it that `blob_bytes` reads there, too (store/archive/archived_bytes.h).
  std::shared_ptr<ObjectStore> archive = nullptr;
};

}  // namespace sql
}  // namespace gprofhub::store
