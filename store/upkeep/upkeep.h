// Maintenance of a store, in addition to the server's operations (store/store.h):
//
//   DeadLetters  work that was given up, and how it goes on
//   Garbage      blobs and files that nobody refers to
//   DeltaEncoding  old blobs as differences from earlier ones
//   Archiving    old blobs outside of the database
//   Compaction   unneeded parts of the archive
//   Inspection   whether everything is there, and is what it was
//   Retention    what stays how long
//   Backups      when the last good one was made
//   Turns        which process keeps house
//   RunCounts    how many targets of a run are done
//   Summaries    days of branches, for histories of years
//
// Opened by administrative commands and by the server's own housekeeping.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/archive/archiving.h"
#include "store/archive/compaction.h"
#include "store/delta/delta_encoding.h"
#include "store/sql/engine.h"
#include "store/store.h"
#include "store/transfers/transfer_blobs.h"
#include "store/upkeep/backups.h"
#include "store/upkeep/counts/run_counts.h"
#include "store/upkeep/dead_letters.h"
#include "store/upkeep/garbage.h"
#include "store/upkeep/inspection.h"
#include "store/upkeep/retention.h"
#include "store/upkeep/summaries/summaries.h"
#include "store/upkeep/turns.h"

namespace gprofhub::store {

struct Upkeep {
  explicit Upkeep(const sql::Engine& engine);

  DeadLetters dead_letters;
  Garbage garbage;
  DeltaEncoding delta_encoding;
  Archiving archiving;
  Compaction compaction;
  Inspection inspection;
  Retention retention;
  Backups backups;
  Turns turns;
  RunCounts run_counts;
  Summaries summaries;
};

// A store with all its parts.
struct WholeStore {
  Store store;
  TransferBlobs transfers;
  Upkeep upkeep;
};

// As OpenStore.
absl::StatusOr<WholeStore> OpenWholeStore(absl::string_view location,
                                          const std::shared_ptr<ObjectStore>& archive = nullptr,
                                          const OnStoreCall& on_call = nullptr);

}  // namespace gprofhub::store
