// Where the bytes of blobs lie: files beside SQLite's database, or rows of PostgreSQL's. This is
// the second seam of the store. The rows that name the blobs belong to the database
// (Session::AddBlob).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "store/records/records.h"

namespace gprofhub::store::sql {

// Bytes that lie apart from the database. They may be a blob's, or nobody's.
struct LooseBytes {
  std::string place;      // for people
  BlobName name;          // of the blob that they would be; empty: of none
  bool incoming = false;  // on their way in, or left there by a process that ended
  uint64_t size = 0;
  absl::Time changed;
};

struct RemovedBytes {
  uint64_t count = 0;
  uint64_t bytes = 0;
};

// Safe to use from several threads.
class BlobBytes {
 public:
  virtual ~BlobBytes() = default;

  // Whether Stage has anything to do for this blob: its bytes lie apart from the database.
  virtual bool Stages(const Blob& blob) const = 0;
  // Makes the bytes ready for Session::AddBlob in a later transaction. If that transaction does
  // not carry them itself, they are durable after this call.
  virtual absl::Status Stage(absl::Span<const Blob* const> blobs) = 0;
  // The bytes as they are stored, unchecked. NOT_FOUND without a row of the blob. nullopt if it has
  // a row and no bytes: it is a delta (store/delta/held_blob.h) or archived, or they are lost.
  virtual absl::StatusOr<std::optional<std::string>> Read(const BlobName& name) = 0;

  // Into how many parts the bytes that lie apart from the database are divided; 0: none do.
  virtual int parts() const = 0;
  // One part, in no order. Empty if it is not there.
  virtual absl::StatusOr<std::vector<LooseBytes>> List(int part) = 0;
  // Removes what lies apart under these names if no row of a whole blob names it and nobody changed
  // it at `changed_before` or later. A transaction under way that adds the row is safe:
  // Session::AddBlob and this exclude each other, and the former puts missing bytes back.
  virtual absl::StatusOr<RemovedBytes> RemoveUnnamed(absl::Span<const BlobName> names,
                                                     absl::Time changed_before) = 0;
  // Removes what processes that ended left on its way in before then.
  virtual absl::StatusOr<RemovedBytes> RemoveIncoming(absl::Time changed_before) = 0;
};

}  // namespace gprofhub::store::sql
