// A blob as a store holds it: whole, or packed against another one.
//
// A blob is stored whole. A week later it may be packed (packing.h): then its row stays, its bytes
// go, and a row of packed_blob says how its content comes from that of a base (packing.h). What
// is packed is checked by a checksum of the content: its name is the hash of the frame that was
// sent, and that frame is not made again to the byte. What is old and whole may be
// shelved (store/packing/shelving.h): BlobBytes::Read reads it from where it lies then, so nothing
// here knows of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/lru_cache.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store {

// What a blob says, written as what is different from another one's.
//
// Most blobs are zstd frames. Two frames have nothing in common to look at, though what they were
// made of may differ in a few bytes: a bundle of 90 kB of the next commit's program takes 25 kB as
// a frame, and 70 bytes where the content before it is known. So contents are compared, not frames.

// Longer ones are not compared: contents stand in memory side by side.
inline constexpr size_t kLargestContent = size_t{32} << 20;

struct Content {
  std::string bytes;
  bool is_of_frame = false;  // else the blob is its own content
};

// What a blob's bytes say. INVALID_ARGUMENT if they begin as a frame and are none, or more than
// one; RESOURCE_EXHAUSTED if the content is larger than kLargestContent.
absl::StatusOr<Content> ContentOf(absl::string_view blob);

// A frame with this content, which is not compressed: it is made for who reads it at once.
std::string FrameOf(absl::string_view content);

// A zstd frame that gives `content` where `base` is known, with the content's checksum. As long as
// `content` is, and more, if the two have nothing in common. Deterministic for a version of zstd.
std::string PackContent(absl::string_view content, absl::string_view base);

// The other way. DATA_LOSS if `packed` is not a frame of PackContent, or was packed against another
// base: the checksum has 32 bits of a hash of 64 (XXH64).
absl::StatusOr<std::string> UnpackContent(absl::string_view packed, absl::string_view base);

struct HeldBlob {
  // Those that were sent; or, of what is packed, another frame with the content of that one.
  std::string bytes;
  bool is_packed = false;  // then the content's checksum was right
};

// What bases say, of those that were read last. A window of runs has the same base again and again,
// and half of what it takes to read one of them is to read that. A base's name is the hash of its
// bytes, and they are compared with it before: what is kept is never out of date or damaged.
class KeptBases {
 public:
  KeptBases()
      : contents_(uint64_t{16} << 20, [](const Content& base) { return base.bytes.size(); }) {}

  base::KeptValues<Content>& contents() { return contents_; }

 private:
  base::KeptValues<Content> contents_;
};

// NOT_FOUND if no row names the blob. DATA_LOSS if its bytes are not there, or if what is packed is
// not what it was. The bytes of a whole one are unchecked.
absl::StatusOr<HeldBlob> ReadHeldBlob(sql::Database& database, sql::BlobBytes& bytes,
                                      const BlobName& name);

// The same, and DATA_LOSS if the bytes of a whole one no longer hash to its name. Without `bases`
// each base is read anew.
absl::StatusOr<HeldBlob> ReadSoundBlob(sql::Database& database, sql::BlobBytes& bytes,
                                       const BlobName& name, KeptBases* bases = nullptr);

// A row of packed_blob.
struct PackedBlob {
  BlobName name;
  bool is_of_frame = false;  // its content was a zstd frame's
  std::string bytes;         // content_delta.h
};

// Those of `names` that have rows and are whole (sql::kIsWhole), in the order of the names.
absl::StatusOr<std::vector<BlobName>> FindWhole(sql::Session& session, const sql::Dialect& dialect,
                                                const std::vector<BlobName>& names);

// `base_id`: a row of blob_base.
absl::Status AddPackedBlob(sql::Session& session, int64_t base_id, const PackedBlob& packed);

}  // namespace gprofhub::store
