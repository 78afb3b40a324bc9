// Rows of uploaded blobs, within a transaction. TransferBlobs documents their meaning.
//
// A transaction that adds, completes or removes a blob first locks the project's row of
// transfer_room. So these transactions are serialised by project: its quota is exact, and two
// uploads of the same bytes cannot complete at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/sql/database.h"
#include "store/transfers/transfer.h"

namespace gprofhub::store {

struct TransferRow {
  int64_t id = 0;
  uint64_t size = 0;
  uint64_t received = 0;
  absl::Time touched;
};

// The row of an upload; of the whole blob, where `upload` is empty. `lock` ends the statement
// (sql::Dialect).
absl::StatusOr<std::optional<TransferRow>> FindTransfer(sql::Session& session,
                                                        absl::string_view project,
                                                        absl::string_view name,
                                                        absl::string_view upload,
                                                        absl::string_view lock);

// The lock on the project's quota.
absl::Status LockRoom(sql::Session& session, absl::string_view project);

// Adds the row of a blob, of which the first `bytes` have arrived, and takes them from its quota,
// which is locked. OUT_OF_RANGE if that is full.
absl::Status AddTransfer(sql::Session& session, const TransferUpload& upload,
                         absl::string_view bytes, uint64_t project_bytes, absl::Time now);

// Appends bytes after the first `received`.
absl::Status AddBytes(sql::Session& session, int64_t id, uint64_t received, absl::string_view bytes,
                      absl::Time now);

// One piece: the one with the byte `offset`. Its bytes from there on; empty if it does not exist.
absl::StatusOr<std::string> ReadPiece(sql::Session& session, int64_t id, uint64_t offset);

// Removes blobs of the project, whose quota is locked, and returns their space to it.
absl::StatusOr<HeldTransfers> RemoveTransfers(sql::Session& session, const sql::Dialect& dialect,
                                              absl::string_view project,
                                              const std::vector<int64_t>& ids);

}  // namespace gprofhub::store
