// Where the bytes of blobs lie: files beside SQLite's database, or rows of PostgreSQL's. This is
// the second seam of the store. The rows that name the blobs belong to the database
// (Session::AddBlob).
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "store/records/records.h"

namespace gprofhub::store::sql {

// Safe to use from several threads.
class BlobBytes {
 public:
  virtual ~BlobBytes() = default;

  // Makes the bytes ready for Session::AddBlob in a later transaction. If that transaction does
  // not carry them itself, they are durable after this call.
  virtual absl::Status Stage(absl::Span<const Blob* const> blobs) = 0;
  // The bytes as they are stored, unchecked. NOT_FOUND if no row names the blob. DATA_LOSS if a
  // row does and the bytes are missing.
  virtual absl::StatusOr<std::string> Read(const BlobName& name) = 0;
};

}  // namespace gprofhub::store::sql
