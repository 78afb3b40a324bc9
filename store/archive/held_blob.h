// A blob as a store holds it: whole, or as a delta (delta_encoding.h).
//
// A blob arrives whole. Delta encoding replaces its bytes by a row of blob_delta, which gives the
// content when the base is known; the row of the blob stays. The name of a blob is the hash of the
// frame that was sent, and that frame cannot be reproduced to the byte. So a checksum of the
// content protects a delta. Old whole blobs may be archived (store/archive/archiving.h): then
// BlobBytes::Read returns the archived bytes.
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

// The content of a blob as its difference from the content of another blob.
//
// Most blobs are zstd frames. Two frames share no bytes even where their contents differ little: a
// bundle of 90 kB of the next commit's program takes 25 kB as a frame, and 70 bytes as a delta
// against the bundle before. So deltas are made of contents, not of frames.

// Limit of a content: EncodeDelta and DecodeDelta hold both contents in memory.
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

// A zstd frame of `content` with `base` as its prefix, and a checksum of the content. Slightly
// longer than `content` if the two have nothing in common. Deterministic for a version of zstd.
std::string EncodeDelta(absl::string_view content, absl::string_view base);

// Returns the content. DATA_LOSS if `delta` is not a frame of EncodeDelta or was encoded against
// another base: the frame's checksum is the low 32 bits of XXH64.
absl::StatusOr<std::string> DecodeDelta(absl::string_view delta, absl::string_view base);

struct HeldBlob {
  // As sent. Of a delta: the content, in another frame if it was sent in one.
  std::string bytes;
  bool is_delta = false;  // then the content matched its checksum
};

// LRU cache of bases' contents. Runs of a window share their bases, and reading the base is half of
// the cost of reading a packed blob. A base's name is the hash of its bytes, which is verified
// before insertion: entries are never stale or damaged.
class KeptBases {
 public:
  KeptBases()
      : contents_(uint64_t{16} << 20, [](const Content& base) { return base.bytes.size(); }) {}

  base::LruCache<Content>& contents() { return contents_; }

 private:
  base::LruCache<Content> contents_;
};

// NOT_FOUND if no row names the blob. DATA_LOSS if its bytes are missing, or a delta or its base is
// damaged. The bytes of a whole blob are unchecked.
absl::StatusOr<HeldBlob> ReadHeldBlob(sql::Database& database, sql::BlobBytes& bytes,
                                      const BlobName& name);

// As ReadHeldBlob, and DATA_LOSS if the bytes of a whole blob no longer hash to its name. Without
// `bases` each base is read again.
absl::StatusOr<HeldBlob> ReadSoundBlob(sql::Database& database, sql::BlobBytes& bytes,
                                       const BlobName& name, KeptBases* bases = nullptr);

// A row of blob_delta.
struct BlobDelta {
  BlobName name;
  bool is_of_frame = false;  // its content was compressed as a zstd frame
  std::string bytes;         // content_delta.h
};

// The subset of `names` that have rows and are whole (sql::kIsWhole), in the order of the names.
absl::StatusOr<std::vector<BlobName>> FindWhole(sql::Session& session, const sql::Dialect& dialect,
                                                const std::vector<BlobName>& names);

// `base_id`: of a row of blob_base.
absl::Status AddBlobDelta(sql::Session& session, int64_t base_id, const BlobDelta& delta);

}  // namespace gprofhub::store
