// Format of an archive segment: one object with the bytes of many blobs.
//
//   8 bytes   "gphbox 1"
//   ...       the blobs' bytes, one after the other
//   48 each   the index: SHA-256 of the bytes (32), their offset (8), their length (8)
//   8 bytes   offset of the index
//   8 bytes   number of its entries
//   8 bytes   "gphbox/1"
//
// Numbers are little-endian. The database has the place of each blob, and readers read only that
// range. The index is for recovery after the loss of the database. It is at the end because its
// content is known only then. There is no further checksum: a blob's name is the hash of its bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"

namespace gprofhub::store {

// Place of a blob in a segment.
struct BoxedBlob {
  BlobName name;
  uint64_t first_byte = 0;
  uint64_t length = 0;

  friend bool operator==(const BoxedBlob&, const BoxedBlob&) = default;
};

// Builds a segment.
class BoxFiller {
 public:
  BoxFiller();

  // `name`: the SHA-256 of the bytes.
  void Add(const BlobName& name, absl::string_view bytes);

  const std::vector<BoxedBlob>& blobs() const { return blobs_; }
  // Size of all blobs together.
  uint64_t blob_bytes() const;
  // The complete object. Add must not be called afterwards.
  std::string Finish();

 private:
  std::string box_;
  std::vector<BoxedBlob> blobs_;
};

// The index of a segment, in its order, from the object's bytes. DATA_LOSS if these are not a
// complete segment. The blobs' bytes are not examined.
absl::StatusOr<std::vector<BoxedBlob>> ReadBoxList(absl::string_view box);

}  // namespace gprofhub::store
