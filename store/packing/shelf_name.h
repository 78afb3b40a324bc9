// Which store a shelf belongs to.
//
// A shelf has an object with the id of the store whose boxes stand on it, and the store keeps the
// id, too. So a shelf of another store is refused, and so is a folder that is not mounted. A store
// that was made of a backup has its original's id. It may read its boxes, but nobody knows whether
// the original still works with the same shelf: two stores that tidy one shelf would remove each
// other's boxes. So it writes there only after an operator had it take the shelf over. That changes
// the id: the original is refused from then on.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/objects/object_store.h"
#include "store/records/records.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"

namespace gprofhub::store {

// A shelf whose use is told to somebody, as that of the engine is.

// The same shelf. Each use is told as one of the part "shelf": "put", "read", "delete", "list".
// Without a shelf, or without `on_call`, it is `shelf` itself.
std::shared_ptr<ObjectStore> Observed(std::shared_ptr<ObjectStore> shelf,
                                      const OnStoreCall& on_call);

// FAILED_PRECONDITION if it can be seen that the shelf is not this store's. A shelf that does not
// answer is not refused: who reads from it is told.
absl::Status CheckShelf(sql::Database& database, ObjectStore& shelf);

// For who writes to the shelf: the same, and a shelf that is nobody's is the store's from now on.
// FAILED_PRECONDITION also if it has to be taken over first. UNAVAILABLE if it does not answer.
absl::Status ClaimShelf(sql::Database& database, ObjectStore& shelf);

// Makes a shelf that has boxes of this store the store's own. FAILED_PRECONDITION if it has none,
// or the store has none. After another error: again.
absl::Status TakeShelfOver(sql::Database& database, ObjectStore& shelf, const Actor& by,
                           absl::Time now);

// Reads what is shelved as if it lay in the store.

// The same engine, whose BlobBytes::Read gives shelved bytes, too: unchecked, as all that it gives.
// DATA_LOSS if they have gone from the shelf. Without a shelf (null) it is FAILED_PRECONDITION to
// read what is shelved. Errors are those of CheckShelf.
absl::StatusOr<sql::Engine> WithShelf(const sql::Engine& engine,
                                      std::shared_ptr<ObjectStore> shelf);

}  // namespace gprofhub::store
