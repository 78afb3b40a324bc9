// Where everything is kept: the parts of one open store.
//
//   Blobs        bytes by their hash          who checks, analyses, answers
//   Ingest       uploads made durable         the collector
//   JobQueue     analyses to make             the analyzer's workers
//   ReportQueue  reports to make              the reporter's worker
//   Reading      runs, targets, series        who analyses and answers
//   GateRecords  what was gated and why not   the reporter
//   Tokens       who may call                 the collector
//
// A part is a small value over the seams of store/sql/: sql::Database, and
// sql::BlobBytes where it touches bytes. SQLite (store/sqlite/) and PostgreSQL
// (store/postgres/) implement the seams and pass one contract suite
// (store/contract/). Whoever starts a process opens a Store and gives each user
// the parts that it uses; nobody below names the Store.
//
// What holds for every part:
// - Copies share one open store, which closes with the last of them.
// - All methods are safe to call from several threads, and from several
//   processes that have the same store open.
// - A method that returns OK has made its effect durable; one that returns an
//   error has had none.
// - Errors: INVALID_ARGUMENT for what the caller did wrong, NOT_FOUND,
//   ALREADY_EXISTS, FAILED_PRECONDITION as said at the method, RESOURCE_EXHAUSTED
//   for a full disk, UNAVAILABLE for a database that cannot be reached (try
//   again), INTERNAL and DATA_LOSS for the rest. The libraries' types and
//   exceptions stop behind the seams.
// - Texts are UTF-8 without NUL bytes, of at most 1,000 bytes; names (project,
//   run key, commit, target, process, build-id) are not empty. Times are kept to
//   the microsecond.
#pragma once

#include "store/blobs.h"
#include "store/gate_records.h"
#include "store/ingest.h"
#include "store/job_queue.h"
#include "store/reading.h"
#include "store/report_queue.h"
#include "store/tokens.h"

namespace gprofhub::store {

namespace sql {
struct Engine;
}

struct Store {
  explicit Store(const sql::Engine& engine);

  Blobs blobs;
  Ingest ingest;
  JobQueue jobs;
  ReportQueue reports;
  Reading reading;
  GateRecords gate;
  Tokens tokens;
};

}  // namespace gprofhub::store
