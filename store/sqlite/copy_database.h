// A copy of a database under concurrent writes.
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store::sqlite {

// The database's file in a store's directory.
inline constexpr absl::string_view kDatabaseFile = "gprofhub.db";
std::string DatabaseFile(const std::string& directory);

// Copies a snapshot of the database in the file `from` to the file `to`, which must not exist: by
// SQLite's backup interface, within one read transaction, so that writers neither wait nor force a
// restart. Source: https://www.sqlite.org/c3ref/backup_finish.html. Calls `pulse` now and then; an
// error of it ends the copy. NOT_FOUND if `from` does not exist; DATA_LOSS if it is not a database.
absl::Status CopyDatabase(const std::string& from, const std::string& to,
                          const std::function<absl::Status()>& pulse);

// Turns the directory's database into one file without a log, readable on read-only media. The
// database must not be open elsewhere.
absl::Status MakeSingleFile(const std::string& directory);

// Releases the space of deleted rows. The database must not be open elsewhere.
absl::Status Compact(const std::string& directory);

}  // namespace gprofhub::store::sqlite
