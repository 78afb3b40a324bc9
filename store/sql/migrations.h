// Versioned schemas. An engine's schema is a numbered list of steps.
//
// Opening a store makes an empty one, and changes no other unless it is asked to (Opening). All
// steps that are due are one transaction, which also records the new version: a store is of one
// version or of the other.
//
// A step that only adds (a table, an index, a column with a default) leaves a database on which the
// programs of the version before go on working. It says so (`works_since`), and the database keeps
// it (property "min_compatible_version", since version 11). So collectors and workers can be
// brought up to date one after the other while all of them serve.
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
  // Bring an older schema up to date. Otherwise it is an error; only an empty store is made.
  bool migrate = false;
  // Who does that, and when, for the audit log.
  Actor by;
  absl::Time now = absl::UnixEpoch();
  // For what lies in a store from before version 25; null: there must be none.
  SplitSealedBucket split_sealed_bucket = nullptr;
  // Where old bytes lie, or are to lie (store/archive/archiving.h); null: not known. What lies
  // there cannot be read then.
  std::shared_ptr<ObjectStore> archive = nullptr;
};

// What a step does beside its statements. An error of it ends the migration.
using MigrationWork = absl::Status (*)(sql::Session& session, const Opening& opening);

struct Migration {
  int64_t version;  // 1 for the first, without gaps
  std::string sql;  // statements that lead from version - 1 to version
  // The oldest version whose programs work on a database that has this step; 0: only this one's.
  int64_t works_since = 0;
  MigrationWork then = nullptr;  // after the statements
};

// What a database says of its schema.
struct SchemaVersion {
  int64_t version = 0;         // 0: it is empty
  int64_t min_compatible = 0;  // the oldest version whose programs work on it; 0: not known
};

// The steps that must be made to open the database; none if it can be used as it is.
// FAILED_PRECONDITION, naming both versions and what to do: if the database is older and `migrate`
// is not set; if it is newer and does not say that programs of this version work on it.
absl::StatusOr<absl::Span<const Migration>> StepsToOpen(const SchemaVersion& database,
                                                        absl::Span<const Migration> steps,
                                                        bool migrate);

// The oldest version whose programs work on a database that has all `steps`.
int64_t MinCompatible(absl::Span<const Migration> steps);

namespace sql {

// Writes what a database keeps after `made` steps of `all` were made, beside its version: since
// when programs work on it, and, unless it was empty before, a row of the audit log. To be called
// in the steps' transaction.
absl::Status RecordMigration(Session& session, absl::Span<const Migration> made,
                             absl::Span<const Migration> all, const Opening& opening);

}  // namespace sql

}  // namespace gprofhub::store
