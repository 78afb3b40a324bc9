// The embedded engine, the default: a SQLite database and a directory of blobs.
//
// Several processes may open one directory at once. SQLite's locks order their transactions, and a
// job is claimed by at most one of them. A transaction that waits longer than 30 seconds is
// UNAVAILABLE. The file system must be local: SQLite's write-ahead log needs shared memory.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "store/sql/engine.h"

namespace gprofhub::store::sqlite {

// Opens the store in `directory`. Creates the directory and an empty store if they do not exist.
// FAILED_PRECONDITION if the directory cannot be written, or if the store has another schema
// version (store/sql/schema/schema.h). RESOURCE_EXHAUSTED if the disk is full.
absl::StatusOr<sql::Engine> OpenSqlite(const std::string& directory);

}  // namespace gprofhub::store::sqlite
