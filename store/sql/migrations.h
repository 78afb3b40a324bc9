// Versioned schemas. An engine's schema is a numbered list of steps.
//
// Opening a store creates the schema of an empty one, and migrates an existing one only on request
// (Opening). All due steps are one transaction, which also records the new version: a store is of
// one version or of the other.
//
// A step that only adds (a table, an index, a column with a default) leaves a database on which the
// programs of the version before still work. It declares so (`works_since`), and the database
// stores it (property "min_compatible_version", since version 11). So collectors and workers can be
// updated one after the other while all of them serve.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store {

class ObjectStore;

// How to open a store.
struct Opening {
  // Migrate an older schema. Otherwise it is an error; only an empty store is initialised.
  bool migrate = false;
  // The principal and the time, for the audit log.
  Actor by;
  absl::Time now = absl::UnixEpoch();
  // For points of stores from before version 25; null: there must not be any.
  SplitSealedBucket split_sealed_bucket = nullptr;
  // Storage of archived blobs (store/shelving/shelving.h); null: unknown. Archived blobs cannot be
  // read then.
  std::shared_ptr<ObjectStore> shelf = nullptr;
};

// Code of a step, in addition to its statements. Its error ends the migration.
using MigrationWork = absl::Status (*)(sql::Session& session, const Opening& opening);

struct Migration {
  int64_t version;  // 1 for the first, without gaps
  std::string sql;  // statements that migrate from version - 1 to version
  // The oldest version whose programs work on a database that has this step; 0: only this version.
  int64_t works_since = 0;
  MigrationWork then = nullptr;  // after the statements
};

// The schema version that a database stores.
struct SchemaVersion {
  int64_t version = 0;         // 0: it is empty
  int64_t min_compatible = 0;  // the oldest version whose programs work on it; 0: unknown
};

// The steps that must run before the database can be opened; empty if it is up to date or
// compatible. FAILED_PRECONDITION, naming both versions and the remedy: if the database is older
// and `migrate` is not set; if it is newer and not marked as compatible with this version.
absl::StatusOr<absl::Span<const Migration>> StepsToOpen(const SchemaVersion& database,
                                                        absl::Span<const Migration> steps,
                                                        bool migrate);

// The oldest version whose programs work on a database that has all `steps`.
int64_t MinCompatible(absl::Span<const Migration> steps);

namespace sql {

// Writes the properties of a database after `made` steps of `all`, except its version: the oldest
// compatible version, and, unless it was empty before, a row of the audit log. To be called in the
// steps' transaction.
absl::Status RecordMigration(Session& session, absl::Span<const Migration> made,
                             absl::Span<const Migration> all, const Opening& opening);

}  // namespace sql

}  // namespace gprofhub::store
