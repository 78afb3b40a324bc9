// The rows that name blobs, and the projects' rights to them.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// SQL condition on a row of blob: neither delta-encoded nor in cold storage.
inline constexpr absl::string_view kIsWhole =
    "NOT EXISTS (SELECT 1 FROM packed_blob WHERE packed_blob.name = blob.name) "
    "AND NOT EXISTS (SELECT 1 FROM shelved_blob WHERE shelved_blob.name = blob.name)";

// SQL table expression without parentheses: the blobs of the executions and the result of target
// $1, as kind ("bundle", "profile" or "result") and name.
inline constexpr absl::string_view kNamedByTarget =
    "SELECT 'bundle' AS kind, image.bundle AS name FROM execution "
    "JOIN image ON image.execution_id = execution.id WHERE execution.target_id = $1 "
    "UNION ALL SELECT 'profile', profile.gmon FROM execution "
    "JOIN profile ON profile.execution_id = execution.id WHERE execution.target_id = $1 "
    "UNION ALL SELECT 'result', computed FROM target "
    "WHERE target.id = $1 AND computed IS NOT NULL";

// Locks the blobs that have rows and returns them, ordered by name. Until the transaction ends they
// cannot be removed, delta-encoded, moved to cold storage or uploaded again.
absl::StatusOr<std::vector<BlobName>> LockBlobs(Session& session, const Dialect& dialect,
                                                const std::vector<BlobName>& names);

// Returns those of `names` that the project has not uploaded, in the same order.
absl::StatusOr<std::vector<BlobName>> FindMissingBlobs(Session& session, const Dialect& dialect,
                                                       absl::string_view project,
                                                       const std::vector<BlobName>& names);

// The same, and the blobs that garbage collection has marked: the client uploads them again, so
// that they may be removed (store/upkeep/garbage.h).
absl::StatusOr<std::vector<BlobName>> FindBlobsToSend(Session& session, const Dialect& dialect,
                                                      absl::string_view project,
                                                      const std::vector<BlobName>& names);

// Statement for a transaction that adds references. Returns a row for each element of the JSON
// column `names`, in the same order: the name, 1 if the project has not uploaded it, 1 if garbage
// collection has marked it. The arguments outlive the statement.
Statement FindBlobsToAdd(const Dialect& dialect, absl::string_view project,
                         absl::string_view names);

// Removes the garbage collection's mark of blobs with new references. As Session::Send.
absl::Status MarkAsUsed(Session& session, const Dialect& dialect,
                        const std::vector<BlobName>& names);

// Records that the project has uploaded these blobs, which have rows. The names are sorted, which
// prevents deadlocks. As Session::Send.
absl::Status AddBlobRights(Session& session, const Dialect& dialect, absl::string_view project,
                           const std::vector<BlobName>& names);

}  // namespace gprofhub::store::sql
