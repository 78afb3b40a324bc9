#include "store/store.h"

#include "store/sql/engine.h"

namespace gprofhub::store {

namespace {

// A part that works on the database alone.
template <typename Part>
Part Over(const sql::Engine& engine, absl::string_view name, const OnStoreCall& on_call) {
  return Part(sql::Observed(engine, name, on_call).database);
}

// A part that needs the bytes of blobs, too.
template <typename Part>
Part OverAll(const sql::Engine& engine, absl::string_view name, const OnStoreCall& on_call) {
  const sql::Engine observed = sql::Observed(engine, name, on_call);
  return Part(observed.database, observed.blob_bytes);
}

}  // namespace

Store::Store(const sql::Engine& engine, const OnStoreCall& on_call)
    : blobs(OverAll<Blobs>(engine, "blobs", on_call)),
      ingest(OverAll<Ingest>(engine, "ingest", on_call)),
      jobs(OverAll<JobQueue>(engine, "jobs", on_call)),
      reports(Over<ReportQueue>(engine, "reports", on_call)),
      reading(Over<Reading>(engine, "reading", on_call)),
      gate(Over<GateRecords>(engine, "gate", on_call)),
      notifications(Over<Notifications>(engine, "notifications", on_call)),
      tokens(Over<Tokens>(engine, "tokens", on_call)),
      audit(Over<AuditLog>(engine, "audit", on_call)),
      removal(Over<Removal>(engine, "removal", on_call)),
      condition(engine.database),
      invocations(Over<Invocations>(engine, "invocations", on_call)) {}

}  // namespace gprofhub::store
