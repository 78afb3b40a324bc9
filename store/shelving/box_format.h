// A box: one object that holds the bytes of many blobs.
//
//   8 bytes   "gphbox 1"
//   ...       the blobs' bytes, one after the other
//   48 each   the list: SHA-256 of the bytes (32), where they begin (8), how many they are (8)
//   8 bytes   where the list begins
//   8 bytes   how many blobs it names
//   8 bytes   "gphbox/1"
//
// Numbers are little-endian. The database knows where each blob lies and reads only that. The list
// is for who has lost the database. It stands at the end, for who makes a box knows it only then.
// Nothing else is checked by a sum: a blob's name is that of its bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"

namespace gprofhub::store {

// Where a blob lies in a box.
struct BoxedBlob {
  BlobName name;
  uint64_t first_byte = 0;
  uint64_t length = 0;

  friend bool operator==(const BoxedBlob&, const BoxedBlob&) = default;
};

// Fills a box.
class BoxFiller {
 public:
  BoxFiller();

  // `name`: the SHA-256 of the bytes.
  void Add(const BlobName& name, absl::string_view bytes);

  const std::vector<BoxedBlob>& blobs() const { return blobs_; }
  // Of all blobs together.
  uint64_t blob_bytes() const;
  // The whole object. Nothing may be added afterwards.
  std::string Finish();

 private:
  std::string box_;
  std::vector<BoxedBlob> blobs_;
};

// What a box holds, in its order, from the object's bytes. DATA_LOSS if these are no whole box. The
// bytes of the blobs are not looked at.
absl::StatusOr<std::vector<BoxedBlob>> ReadBoxList(absl::string_view box);

}  // namespace gprofhub::store
