// Opens the store, for the programs' startup.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/condition.h"
#include "store/gate_records.h"
#include "store/ingest.h"
#include "store/invocations.h"
#include "store/job_queue.h"
#include "store/notifications.h"
#include "store/reading.h"
#include "store/records/records.h"
#include "store/report_queue.h"
#include "store/sql/engine.h"
#include "store/tokens.h"
#include "store/validation.h"

namespace gprofhub::store {

// Deletion of runs and projects.

namespace sql {
class Database;
}

// A part of the store: store.h documents what all parts guarantee.
class Removal {
 public:
  explicit Removal(std::shared_ptr<sql::Database> database);

  // Deletes the run and everything that belongs to it: targets, executions, profiles, jobs, points,
  // and its gated findings first. It is no longer available for comparisons. Cached results that
  // took its profiles lose them, and are analysed again. Blobs are left to garbage collection
  // (store/garbage.h), for other rows may reference them. A worker with its job finds that
  // it has lost the job. NOT_FOUND, also if the run is another project's.
  absl::Status DeleteRun(absl::string_view project, int64_t run_id, const Actor& by,
                         absl::Time now) const;

  // The project's runs of the branch, pull requests' too, oldest first.
  absl::StatusOr<std::vector<int64_t>> RunsOfBranch(absl::string_view project,
                                                    absl::string_view branch) const;

  // All of the project's runs, oldest first.
  absl::StatusOr<std::vector<int64_t>> RunsOfProject(absl::string_view project) const;

  // Deletes everything of a project except its runs: acknowledgements, culprits, notifications, its
  // retention policy, and its rights to blobs. Its tokens are revoked, not deleted: a server
  // without any token accepts anonymous requests. The audit log stays. Each kind is deleted in
  // steps.
  absl::Status DeleteRestOfProject(absl::string_view project, const Actor& by,
                                   absl::Time now) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

// The parts of one open store.
//
//   Blobs        bytes by their hash          collector, analyzer, query service
//   Ingest       uploads made durable         the collector
//   JobQueue     analyses to make             the analyzer's workers
//   ReportQueue  reports to make              the reporter's worker
//   Reading      runs, targets, series        analyzer, query service
//   GateRecords  gates and acknowledgements   the reporter
//   AuditLog     audit events                 the collector, administration
//   Removal      deletion of runs             administration
//   Notifications  outbox of channels         the reporter
//   Tokens       API tokens                   the collector
//   Condition    health of the store          operators
//   Invocations  build events, streamed       the collector's build event service
//
// A part is a small value over the seams of store/sql/: sql::Database, and sql::BlobBytes where
// bytes are needed. SQLite (store/sqlite/) and PostgreSQL (store/postgres/) implement the seams and
// pass one contract suite (store/contract/). The programs' startup opens a Store and gives each
// user the parts that it uses. Lower layers do not name the Store.
//
// Guarantees of every part:
// - Copies share one open store. It closes with the last of them.
// - All methods may be called from several threads, and from several processes that have the
//   same store open.
// - After OK, the effect of a method is durable. After an error, there is no effect.
// - INVALID_ARGUMENT names the caller's mistake. Each method documents when it returns NOT_FOUND,
//   ALREADY_EXISTS or FAILED_PRECONDITION. RESOURCE_EXHAUSTED is a full disk. UNAVAILABLE is an
//   unreachable database: retry. The rest is INTERNAL and DATA_LOSS. Types and exceptions of the
//   libraries stop behind the seams.
// - Queues keep the times of the database's clock (sql/database.h). A caller's `now` is of its own
//   clock.
// - Texts are UTF-8 without NUL bytes, of at most 1,000 bytes. Names (project, run key, commit,
//   target, process, build-id) are not empty. Times have microsecond resolution.

namespace sql {
struct Engine;
}

struct Store {
  // `on_call` observes each use of the engine, except Condition's.
  explicit Store(const sql::Engine& engine, const OnStoreCall& on_call = nullptr);

  Blobs blobs;
  Ingest ingest;
  JobQueue jobs;
  ReportQueue reports;
  Reading reading;
  GateRecords gate;
  Notifications notifications;
  Tokens tokens;
  AuditLog audit;
  Removal removal;
  Condition condition;
  Invocations invocations;
};

// Opens the store that `location` names: "sqlite:DIR", a plain directory, or "postgresql://…".
// Schemes are in any case.
// INVALID_ARGUMENT for another form. Other errors are those of OpenSqlite, OpenPostgres and
// WithArchive.
// `on_call` as Store has it.
absl::StatusOr<Store> OpenStore(absl::string_view location, OpenMode mode,
                                const std::shared_ptr<ObjectStore>& archive = nullptr,
                                const OnStoreCall& on_call = nullptr);

// Like OpenStore, for callers that build the parts themselves. `on_call` observes only uses of the
// archive.
absl::StatusOr<sql::Engine> OpenEngine(absl::string_view location, OpenMode mode,
                                       const std::shared_ptr<ObjectStore>& archive = nullptr,
                                       const OnStoreCall& on_call = nullptr);

// Wakes up other processes of the store. Null for an embedded store: its processes poll. Errors are
// those of OpenStore for its location.
absl::StatusOr<std::unique_ptr<sql::WakeUps>> MakeWakeUps(absl::string_view location);

// Whether the location names a database server that several processes share, and not the embedded
// store of one machine.
bool IsShared(absl::string_view location);

// The directory of an embedded store. INVALID_ARGUMENT if the location is of another form.
absl::StatusOr<std::string> DirectoryOf(absl::string_view location);

}  // namespace gprofhub::store
