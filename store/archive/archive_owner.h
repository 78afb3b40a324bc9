// The store that an archive belongs to.
//
// An archive has an object with the id of its store, and the store keeps the same id. So an archive
// of another store is refused, and so is a folder that is not mounted. A store that was restored
// from a backup has the id of the original. It may read the segments. But the original may still
// write to the archive, and two stores that compact one archive would remove each other's segments.
// So the restored store writes there only after an operator had it take the archive over. That
// changes the id, and the original is refused from then on.
#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "store/objects/object_store.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store {

// FAILED_PRECONDITION if the archive is known to belong to another store. OK if the archive is
// unavailable: reading from it returns the error.
absl::Status CheckArchive(sql::Database& database, ObjectStore& archive);

// Before writing to the archive: the same, and an archive without an owner becomes this store's.
// FAILED_PRECONDITION also if it has to be taken over first. UNAVAILABLE if it does not answer.
absl::Status ClaimArchive(sql::Database& database, ObjectStore& archive);

// Makes this store the owner of an archive that has its segments. FAILED_PRECONDITION if the
// archive or the store has none. May be retried after other errors.
absl::Status TakeArchiveOver(sql::Database& database, ObjectStore& archive, const Actor& by,
                             absl::Time now);

}  // namespace gprofhub::store
