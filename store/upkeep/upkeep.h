// Maintenance of a store, in addition to the server's operations (store/store.h):
//
//   DeadLetters  failed jobs, and their revival
//   Garbage      collection of unreferenced blobs and files
//   Packing      delta encoding of old blobs
//   Shelving     moves the oldest blobs to the archive
//   Tidying      compaction of the archive
//   Inspection   consistency check
//   Retention    deletion of old runs and profiles
//   Backups      time of the last successful backup
//   Turns        turns of the processes' housekeeping
//   RunCounts    stored counts of runs' targets
//   Summaries    summaries of branches' days, for histories of years
//
// Opened by administrative commands and by the server's own housekeeping.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/packing/packing.h"
#include "store/shelving/shelving.h"
#include "store/shelving/tidying.h"
#include "store/sql/engine.h"
#include "store/sql/migrations.h"
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
  Packing packing;
  Shelving shelving;
  Tidying tidying;
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
absl::StatusOr<WholeStore> OpenWholeStore(absl::string_view location, const Opening& opening = {},
                                          const OnStoreCall& on_call = nullptr);

}  // namespace gprofhub::store
