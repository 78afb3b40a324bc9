// A copy of a database that others go on writing to, and of the files of its blobs.
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "store/records/records.h"

namespace gprofhub::store::sqlite {

// Copies FROM/gprofhub.db to TO/gprofhub.db, which must not be there, as it is at one moment: by
// SQLite's backup interface, within one read transaction, so that writers neither wait nor make it
// begin anew. Source: https://www.sqlite.org/c3ref/backup_finish.html. Calls `pulse` now and then;
// an error of it ends the copy. NOT_FOUND if there is no database.
absl::Status CopyDatabase(const std::string& from, const std::string& to,
                          const std::function<absl::Status()>& pulse);

// Makes the database one file without a log beside it, that can be read from where nothing can be
// written. Nobody may have it open.
absl::Status MakeSingleFile(const std::string& directory);

// Whether the directory has a store's database.
bool HasDatabase(const std::string& directory);

}  // namespace gprofhub::store::sqlite
