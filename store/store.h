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
#pragma once

#include "store/audit_log.h"
#include "store/blobs.h"
#include "store/condition/condition.h"
#include "store/gate_records.h"
#include "store/ingest.h"
#include "store/invocations/invocations.h"
#include "store/job_queue.h"
#include "store/notifications.h"
#include "store/reading.h"
#include "store/removal.h"
#include "store/report_queue.h"
#include "store/sql/observed_engine.h"
#include "store/tokens.h"

namespace gprofhub::store {

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

}  // namespace gprofhub::store
