// Online copy of a database that is being written.
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store::sqlite {

// The database's file in a store's directory.
inline constexpr absl::string_view kDatabaseFile = "gprofhub.db";
std::string DatabaseFile(const std::string& directory);

// Copies a snapshot of the database in the file `from` to the file `to`, which must not exist, by
// SQLite's backup interface within one read transaction: writers neither wait nor restart the copy.
// Source: https://www.sqlite.org/c3ref/backup_finish.html. Calls `pulse` regularly; its error ends
// the copy. NOT_FOUND if there is no such file; DATA_LOSS if it is no database.
absl::Status CopyDatabase(const std::string& from, const std::string& to,
                          const std::function<absl::Status()>& pulse);

// Makes the directory's database a single file without a log, which can be read from a read-only
// directory. It must not be open.
absl::Status MakeSingleFile(const std::string& directory);

// Frees the space of removed rows. The database must not be open.
absl::Status Compact(const std::string& directory);

}  // namespace gprofhub::store::sqlite
