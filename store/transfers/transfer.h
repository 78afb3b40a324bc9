// Values that describe files uploaded by Bazel.
#pragma once

#include <cstdint>
#include <string>

#include "store/records/records.h"

namespace gprofhub::store {

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

}  // namespace gprofhub::store
