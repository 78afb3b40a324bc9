// A copy of a database that others go on writing to.
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store::sqlite {

// The database's file in a store's directory.
inline constexpr absl::string_view kDatabaseFile = "gprofhub.db";
std::string DatabaseFile(const std::string& directory);

// Copies the database in the file `from` to the file `to`, which must not be there, as it is at one
// moment: by SQLite's backup interface, within one read transaction, so that writers neither wait
// nor make it begin anew. Source: https://www.sqlite.org/c3ref/backup_finish.html. Calls `pulse`
// now and then; an error of it ends the copy. NOT_FOUND if there is no such file; DATA_LOSS if it
// is no database.
absl::Status CopyDatabase(const std::string& from, const std::string& to,
                          const std::function<absl::Status()>& pulse);

// Makes the directory's database one file without a log beside it, that can be read from where
// nothing can be written. Nobody may have it open.
absl::Status MakeSingleFile(const std::string& directory);

// Gives back the room of rows that were removed. Nobody may have the database open.
absl::Status Compact(const std::string& directory);

}  // namespace gprofhub::store::sqlite
