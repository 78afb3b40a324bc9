// Where the bytes of blobs lie: files beside SQLite's database, rows of
// PostgreSQL's. The second seam of the store; the rows that name the blobs are
// the database's (Session::AddBlob).
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

  // Makes the bytes ready for Session::AddBlob in a later transaction: durable,
  // where the transaction itself does not carry them.
  virtual absl::Status Stage(absl::Span<const Blob* const> blobs) = 0;
  // The bytes as they are stored, unchecked. NOT_FOUND where no row names the
  // blob; DATA_LOSS where one does and the bytes have gone.
  virtual absl::StatusOr<std::string> Read(const BlobName& name) = 0;
};

}  // namespace gprofhub::store::sql
