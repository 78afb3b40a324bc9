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
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store {

// Values that describe files uploaded by Bazel.

// Key of a blob: the SHA-256 of its bytes, and their number. The empty blob always exists.
struct TransferDigest {
  BlobName sha256;
  uint64_t size = 0;
  friend bool operator==(const TransferDigest&, const TransferDigest&) = default;
};

struct TransferLimits {
  uint64_t blob_bytes = 256u << 20;            // of one blob
  uint64_t project_bytes = uint64_t{4} << 30;  // of all that a project has, each at least kRowBytes

  // Minimum size that a blob counts for.
  static constexpr uint64_t kRowBytes = 4096;
};

// One upload, which may be resumed by its name.
struct TransferUpload {
  std::string project;
  TransferDigest digest;
  std::string name;  // the client's; not empty
};

struct TransferProgress {
  bool whole = false;     // the project has the blob, by this upload or another
  uint64_t received = 0;  // bytes; all if it is complete, 0 for an unknown upload
};

struct HeldTransfers {
  uint64_t blobs = 0;
  uint64_t bytes = 0;
};

// Maximum size of a stored piece.
inline constexpr uint64_t kTransferPieceBytes = 1 << 20;

// Validation of uploaded blobs, and its error messages.

// INVALID_ARGUMENT for what cannot be stored.
absl::Status CheckQuestion(absl::string_view project, const std::vector<TransferDigest>& digests);
absl::Status CheckUpload(const TransferUpload& upload);

// The blob that is always there.
bool IsEmptyBlob(const TransferDigest& digest);

// INVALID_ARGUMENT: all `bytes` arrived, but their hash differs.
absl::Status NotItsBytes(const TransferDigest& digest, uint64_t bytes);
// OUT_OF_RANGE.
absl::Status TooLarge(uint64_t size, uint64_t most);
// NOT_FOUND.
absl::Status NoSuchBlob(const TransferDigest& digest);
// FAILED_PRECONDITION: the upload is elsewhere. (ABORTED would have a database try again.)
absl::Status Moved(uint64_t offset, uint64_t received);

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
