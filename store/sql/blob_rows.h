// The rows of blobs, and of the projects' rights to them.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// A condition on a row of blob: its bytes are where an upload put them, neither delta-encoded nor
// archived.
inline constexpr absl::string_view kIsWhole =
    "NOT EXISTS (SELECT 1 FROM blob_delta WHERE blob_delta.name = blob.name) "
    "AND NOT EXISTS (SELECT 1 FROM archived_blob WHERE archived_blob.name = blob.name)";

// A table expression without parentheses: the blobs that the executions and the result of target $1
// reference, as kind ("bundle", "profile" or "result") and name.
inline constexpr absl::string_view kNamedByTarget =
    "SELECT 'bundle' AS kind, image.bundle AS name FROM execution "
    "JOIN image ON image.execution_id = execution.id WHERE execution.target_id = $1 "
    "UNION ALL SELECT 'profile', profile.gmon FROM execution "
    "JOIN profile ON profile.execution_id = execution.id WHERE execution.target_id = $1 "
    "UNION ALL SELECT 'result', computed FROM target "
    "WHERE target.id = $1 AND computed IS NOT NULL";

// The blobs of `names` that have rows, in order. Until the transaction ends none of them is
// removed, delta-encoded, archived or replaced.
absl::StatusOr<std::vector<BlobName>> LockBlobs(Session& session, const Dialect& dialect,
                                                const std::vector<BlobName>& names);

// Returns those of `names` that the project has not uploaded, in the same order.
absl::StatusOr<std::vector<BlobName>> FindMissingBlobs(Session& session, const Dialect& dialect,
                                                       absl::string_view project,
                                                       const std::vector<BlobName>& names);

// The same, and those of them that garbage collection has marked: an uploader that asks about them
// now sends them again, so they may be removed (store/upkeep/garbage.h).
absl::StatusOr<std::vector<BlobName>> FindBlobsToSend(Session& session, const Dialect& dialect,
                                                      absl::string_view project,
                                                      const std::vector<BlobName>& names);

// For transactions that add references. A row for each of the JSON column `names`, in the same
// order: the name, 1 if the project has not sent it, 1 if garbage collection has marked it. The
// arguments must outlive the statement.
Statement FindBlobsToAdd(const Dialect& dialect, absl::string_view project,
                         absl::string_view names);

// Removes the garbage collection's mark of blobs with new references. As Session::Send.
absl::Status MarkAsUsed(Session& session, const Dialect& dialect,
                        const std::vector<BlobName>& names);

// Records that the project has sent these blobs, which have rows. The names are ordered, so that
// transactions do not deadlock. As Session::Send.
absl::Status AddBlobRights(Session& session, const Dialect& dialect, absl::string_view project,
                           const std::vector<BlobName>& names);

}  // namespace gprofhub::store::sql
