#include "store/upkeep/upkeep.h"

#include "store/open_store.h"
#include "store/sql/observed_engine.h"

namespace gprofhub::store {

Upkeep::Upkeep(const sql::Engine& engine)
    : dead_letters(engine.database),
      garbage(engine.database, engine.blob_bytes),
      delta_encoding(engine.database, engine.blob_bytes),
      archiving(engine.database, engine.blob_bytes, engine.archive),
      compaction(engine.database, engine.archive),
      inspection(engine.database, engine.blob_bytes, engine.archive),
      retention(engine.database),
      backups(engine.database),
      turns(engine.database),
      run_counts(engine.database),
      summaries(engine.database) {}

absl::StatusOr<WholeStore> OpenWholeStore(absl::string_view location,
                                          const std::shared_ptr<ObjectStore>& archive,
                                          const OnStoreCall& on_call) {
  const absl::StatusOr<sql::Engine> engine = OpenEngine(location, archive, on_call);
  if (!engine.ok()) return engine.status();
  return WholeStore{Store(*engine, on_call),
                    TransferBlobs(sql::Observed(*engine, "transfers", on_call).database),
                    Upkeep(*engine)};
}

}  // namespace gprofhub::store
