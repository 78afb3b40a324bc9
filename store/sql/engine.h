// The engines' side of the seam: what both implement and share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// A worker's lease of a job, in columns common to all queues.

// A claim. Valid while the job is leased to this worker, in this attempt, for this generation.
struct Claim {
  absl::string_view table;  // "job", "report_job" or "notification"
  int64_t job_id = 0;
  absl::string_view worker;
  uint32_t attempts = 0;
  int64_t generation = 0;
};

// Sets the end of the lease. Returns `lost`, without a change, if the claim is no longer valid.
absl::Status ExtendLease(Session& session, const Claim& claim, absl::Time until,
                         const absl::Status& lost);

// A clock that was ahead may have written times in the future. A lease that ends later than
// kLongest from now ends now: no valid lease is that long. Runs when a claim finds no job, but not
// each time. Safe to use from several threads.
class FutureLeases {
 public:
  static constexpr absl::Duration kLookEvery = absl::Minutes(1);
  // The longest lease (`gprofhub serve --lease`), with five minutes between the clocks of servers.
  static constexpr absl::Duration kLongest = absl::Minutes(65);

  // Ends them, if that was not done within kLookEvery, or the clock has gone back. Returns whether
  // it looked.
  absl::StatusOr<bool> EndSometimes(Session& session, absl::string_view table, absl::Time now);

 private:
  std::atomic<int64_t> looked_us_ = 0;  // 0: not yet
};

}  // namespace gprofhub::store::sql

namespace gprofhub::store {

// The interface of an engine: its implementation of both seams.

class ObjectStore;

// Use of the store that is opened.
enum class OpenMode {
  kServe,     // as kCreate, by the only server of an embedded store: FAILED_PRECONDITION for others
  kCreate,    // an empty store is created where there is none
  kExisting,  // NOT_FOUND where there is no store; nothing is created
  kReplica,   // as kExisting; the database is a replica that is read on purpose: sessions are
              // read-only, and a write fails with FAILED_PRECONDITION, not until a failover ends
};

inline bool MayCreate(OpenMode mode) {
  return mode == OpenMode::kServe || mode == OpenMode::kCreate;
}

// NOT_FOUND: `place`, a directory or a database, has no store.
absl::Status NoStoreIn(absl::string_view place);

namespace sql {

// Shared by the parts of a store: the last one closes it.
struct Engine {
  std::shared_ptr<Database> database;  // has the current schema
  std::shared_ptr<BlobBytes> blob_bytes;
  // Storage of archived blobs (store/archive/archiving.h); null: unknown. The code that sets it
  // also lets `blob_bytes` read there (store/archive/segments.h).
  std::shared_ptr<ObjectStore> archive = nullptr;
};

}  // namespace sql

}  // namespace gprofhub::store

namespace gprofhub::store::sql {

// Fair order of the analysis queue.
//
// A project that sends ten thousand jobs must not delay another project's single job. So a job gets
// a number, its turn, when it begins to wait, and jobs are claimed in the order of their turns. The
// jobs of one project have consecutive turns. A project without waiting jobs begins at the current
// turn of the queue. That is start-time fair queueing (Goyal, Vin and Cheng, IEEE/ACM Transactions
// on Networking 5(5), 1997) with jobs of equal size. A claim costs one lookup in an index,
// regardless of the number of waiting jobs.
//
// Column turn: 0 for a job that does not wait, or that an older program queued.

// An expression: the current turn of the queue, or the one after the last waiting job of the
// project that the expression `project` yields.
std::string NextTurn(absl::string_view project);

// Assigns the job's turn, if it waits without one.
absl::Status GiveTurnToJob(Session& session, int64_t job_id);

}  // namespace gprofhub::store::sql

namespace gprofhub::store {

// Engine wrapper that reports every call, for example to measure latencies.

// A completed call of the engine.
struct StoreCall {
  absl::string_view part;       // of the store, such as "ingest" (store.h), or "archive"
  absl::string_view operation;  // such as "read", "write", "stage_blobs"
  absl::Duration took;
  absl::StatusCode code = absl::StatusCode::kOk;
};

// Called by the thread that uses the store; must not block.
using OnStoreCall = std::function<void(const StoreCall& call)>;

// Reports calls of one part.
class Observer {
 public:
  // `part` is a constant in the code.
  Observer(absl::string_view part, OnStoreCall on_call)
      : part_(part), on_call_(std::move(on_call)) {}

  // Runs `use`, and reports it. Its result is an absl::Status or an absl::StatusOr.
  template <typename Use>
  auto Tell(absl::string_view operation, const Use& use) const {
    const auto begun = std::chrono::steady_clock::now();
    auto result = use();
    const absl::Duration took = absl::FromChrono(std::chrono::steady_clock::now() - begun);
    on_call_({part_, operation, took, CodeOf(result)});
    return result;
  }

 private:
  static absl::StatusCode CodeOf(const absl::Status& status) { return status.code(); }
  template <typename Value>
  static absl::StatusCode CodeOf(const absl::StatusOr<Value>& value) {
    return value.status().code();
  }

  const absl::string_view part_;
  const OnStoreCall on_call_;
};

namespace sql {

// The same engine for one part of the store. `part` is a constant in the code. Without `on_call` it
// is `engine` itself.
Engine Observed(const Engine& engine, absl::string_view part, const OnStoreCall& on_call);

}  // namespace sql

}  // namespace gprofhub::store

namespace gprofhub::store::sql {

// Numeric properties of the database itself: one row each.

// Start of the last successful backup, in microseconds since the Unix epoch.
inline constexpr absl::string_view kLastBackup = "last_backup_us";
// End of a backup's lease: until then no blob may be removed.
inline constexpr absl::string_view kBackupLease = "backup_lease_us";

// The last target whose blobs were delta-encoded (store/archive/delta_encoding.h).
inline constexpr absl::string_view kDeltaTarget = "delta_target";
// Number of the store's archive; 0: none (store/archive/segments.h).
inline constexpr absl::string_view kArchive = "archive";
// 1: the store was restored from a backup, and its original may still use the archive.
inline constexpr absl::string_view kArchiveTakeoverPending = "archive_takeover_pending";
// The last target whose blobs were archived (store/archive/archiving.h).
inline constexpr absl::string_view kArchivedTarget = "archived_target";
// Time of the last housekeeping by any process (store/upkeep.h).
inline constexpr absl::string_view kHousekeeping = "housekeeping_us";

// Time of the last heartbeat of this store (store/condition.h).
inline constexpr absl::string_view kBeat = "beat_us";

// 0 if it was never set.
absl::StatusOr<int64_t> ReadProperty(Session& session, absl::string_view name);

absl::Status SetProperty(Session& session, absl::string_view name, int64_t value);

// Notifications of new work between the processes of a store.
//
// Waiting workers poll at intervals in any case: a lost notification costs one such interval, and
// nothing else. So a notification is sent after a transaction, not in it. PostgreSQL holds one lock
// of the whole server while a transaction that notifies commits
// (https://www.postgresql.org/docs/15/sql-notify.html): commits would no longer share a sync.

enum class Work { kJobs, kReports };

class WakeUps {
 public:
  // Called when other processes have added work, and once for each kind when it begins to listen,
  // also after a reconnect: notifications may have been lost meanwhile. Called by one thread.
  using OnWork = std::function<void(Work)>;

  virtual ~WakeUps() = default;

  // Begins to listen and to notify. Call once.
  virtual void Start(OnWork on_work) = 0;
  // Stops both. `on_work` is not called after the return.
  virtual void Stop() = 0;
  // Notifies other processes of work. Never blocks; notifications that are pending at the same time
  // are merged. From any thread.
  virtual void Tell(Work work) = 0;
};

}  // namespace gprofhub::store::sql
