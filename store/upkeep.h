// Maintenance of a store, in addition to the server's operations (store/open_store.h):
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

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/archive/archiving.h"
#include "store/archive/compaction.h"
#include "store/archive/delta_encoding.h"
#include "store/garbage.h"
#include "store/inspection.h"
#include "store/open_store.h"
#include "store/records/records.h"
#include "store/retention.h"
#include "store/sql/engine.h"
#include "store/summaries.h"
#include "store/transfer_blobs.h"

namespace gprofhub::store {

// Dead letters: failed work, and how it is revived.
//
//   kind           given up when                                    revived, it
//   kJob           an analysis failed, or its workers vanished      is pending, with no attempts
//   kReport        a report could not be posted for a day, or its   is due at once
//                  forge refused parts of it (kIncompleteNote)
//   kNotification  a message could not be delivered                 is due at once
//
// store/job_queue.h, report_queue.h and notifications.h document when each kind fails.

namespace sql {
class Database;
}

// Beginning of the note of a report that was posted without the parts that follow.
inline constexpr char kIncompleteNote[] = "incomplete: ";
// Beginning of the note of a report that the server's configuration does not let it make.
inline constexpr char kDisabledNote[] = "disabled: ";

enum class LetterKind { kJob, kReport, kNotification };

struct DeadLetter {
  // Of the job or the notification. A report is identified by its run.
  int64_t id = 0;
  std::string project;
  int64_t run_id = 0;  // 0: it is of none
  std::string what;    // the target, the pull request or branch, the channel
  uint32_t attempts = 0;
  std::string reason;
  absl::Time since;  // when it was queued
  // When a report that waits is due, or the lease of its worker expires; InfiniteFuture: no time is
  // known.
  absl::Time due = absl::InfiniteFuture();
  // The server makes the report without being asked. `reason` says what it waits for.
  bool waits = false;
};

struct LetterFilter {
  std::string project;       // empty: all
  std::vector<int64_t> ids;  // empty: all
};

// A part of the store: store/open_store.h documents what all parts guarantee.
class DeadLetters {
 public:
  explicit DeadLetters(std::shared_ptr<sql::Database> database);

  // Those with an id greater than `after`, at most `limit`, in the order of the ids.
  absl::StatusOr<std::vector<DeadLetter>> List(LetterKind kind, const LetterFilter& filter,
                                               int64_t after, uint32_t limit) const;

  // Revives them, some in each transaction, and returns their number. NOT_FOUND if one of `ids` is
  // not a dead letter; those before it are revived. A report that is named by its run is posted
  // again regardless of its state. FAILED_PRECONDITION if retention has deleted a job's profiles:
  // it has no input. Without `ids` such jobs are left out.
  absl::StatusOr<uint64_t> Revive(LetterKind kind, const LetterFilter& filter, const Actor& by,
                                  absl::Time now) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

// Work that is done once in a while by one of all processes that have the store open.

namespace sql {
class Database;
}

// A part of the store: store/open_store.h documents what all parts guarantee.
class Turns {
 public:
  explicit Turns(std::shared_ptr<sql::Database> database);

  // Whether the caller does the housekeeping now: true if no process did since `now - every`, or
  // the last one did in the future. A process that dies during it costs the store one turn.
  absl::StatusOr<bool> TakeHousekeeping(absl::Time now, absl::Duration every) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

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
absl::StatusOr<WholeStore> OpenWholeStore(absl::string_view location, OpenMode mode,
                                          const std::shared_ptr<ObjectStore>& archive = nullptr,
                                          const OnStoreCall& on_call = nullptr);

}  // namespace gprofhub::store
