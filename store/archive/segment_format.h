// A segment: one object with the bytes of many blobs.
//
//   8 bytes   "gphseg 1"
//   ...       the blobs' bytes, one after the other
//   48 each   the index: SHA-256 of the bytes (32), offset (8), length (8)
//   8 bytes   offset of the index
//   8 bytes   number of blobs
//   8 bytes   "gphseg/1"
//
// Numbers are little-endian. The database has the offset and length of each blob, and reads only
// those bytes. The index serves readers without the database. It stands at the end because a writer
// knows it only then. No further checksum is needed: a blob's name is the hash of its bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"

namespace gprofhub::store {

// The place of a blob in a segment.
struct SegmentBlob {
  BlobName name;
  uint64_t first_byte = 0;
  uint64_t length = 0;

  friend bool operator==(const SegmentBlob&, const SegmentBlob&) = default;
};

// Writes a segment.
class SegmentWriter {
 public:
  SegmentWriter();

  // `name`: the SHA-256 of the bytes.
  void Add(const BlobName& name, absl::string_view bytes);

  const std::vector<SegmentBlob>& blobs() const { return blobs_; }
  // Of all blobs together.
  uint64_t blob_bytes() const;
  // The whole object. Nothing may be added afterwards.
  std::string Finish();

 private:
  std::string segment_;
  std::vector<SegmentBlob> blobs_;
};

// The index of a segment. DATA_LOSS if `segment` is not a complete segment. The bytes of the blobs
// are not checked.
absl::StatusOr<std::vector<SegmentBlob>> ReadSegmentIndex(absl::string_view segment);

}  // namespace gprofhub::store
