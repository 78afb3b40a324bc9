// The store's seams in one directory: a SQLite database and a folder of blobs.
// The embedded default.
//
// Several processes may open one directory at once: SQLite's locks order their
// transactions (one that waits longer than 30 seconds is UNAVAILABLE), and no
// job is given to two of them. It must be a local file system: SQLite's
// write-ahead log needs shared memory.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "store/sql/engine.h"

namespace gprofhub::store::sqlite {

// Opens what lies in `directory` (created unless it is there) and brings its
// schema up to date. FAILED_PRECONDITION if the directory cannot be written or
// a newer gprofhub wrote it, RESOURCE_EXHAUSTED if the disk is full.
absl::StatusOr<sql::Engine> OpenSqlite(const std::string& directory);

}  // namespace gprofhub::store::sqlite
