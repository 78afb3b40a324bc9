// The database schema of both engines.
//
// A database has exactly one schema version. An empty database gets all tables in one transaction;
// a program refuses a database of any other version than its own.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace gprofhub::store {

// The version of the tables in schema.cc and store/records/run_columns.cc. Raise it with the first
// change to them after a release.
inline constexpr int64_t kSchemaVersion = 1;

// The version of a database without tables.
inline constexpr int64_t kNoSchema = 0;

// Statements that create all tables in an empty database and record kSchemaVersion: SQLite keeps it
// as `PRAGMA user_version`, PostgreSQL in the only row of table schema_version. The caller executes
// them in one transaction.
std::string SqliteSchema();
std::string PostgresSchema();

// FAILED_PRECONDITION, naming both versions, if `version` is not kSchemaVersion.
absl::Status CheckSchemaVersion(int64_t version);

}  // namespace gprofhub::store
