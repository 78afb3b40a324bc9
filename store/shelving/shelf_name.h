// Binds an archive to one store.
//
// An archive has an object with the id of the store that owns its segments, and the store has the
// same id. So another store's archive is refused, and so is a folder that is not mounted. A store
// that was restored from a backup has the id of the original. It may read its segments, but the
// original may still use the same archive: two stores that compact one archive would remove each
// other's segments. So the restored store may write only after an operator had it take over the
// archive. That changes the id: the original is refused from then on.
#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "store/objects/object_store.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store {

// FAILED_PRECONDITION if the archive verifiably belongs to another store. An unreachable archive is
// not refused here: its readers get the error.
absl::Status CheckShelf(sql::Database& database, ObjectStore& shelf);

// For writers: as CheckShelf, and an archive without an owner becomes the store's.
// FAILED_PRECONDITION also if it has to be taken over first. UNAVAILABLE if it does not respond.
absl::Status ClaimShelf(sql::Database& database, ObjectStore& shelf);

// Makes the store the owner of an archive that has segments of this store. FAILED_PRECONDITION if
// the archive or the store has no segments. After any other error it can be repeated.
absl::Status TakeShelfOver(sql::Database& database, ObjectStore& shelf, const Actor& by,
                           absl::Time now);

}  // namespace gprofhub::store
