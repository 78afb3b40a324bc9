#include "store/store.h"

#include "store/sql/engine.h"

namespace gprofhub::store {

Store::Store(const sql::Engine& engine)
    : blobs(engine.database, engine.blob_bytes),
      ingest(engine.database, engine.blob_bytes),
      jobs(engine.database, engine.blob_bytes),
      reports(engine.database),
      reading(engine.database),
      gate(engine.database),
      notifications(engine.database),
      tokens(engine.database),
      audit(engine.database),
      removal(engine.database) {}

}  // namespace gprofhub::store
