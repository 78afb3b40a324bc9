// A blob as a store holds it: whole, or as a delta (delta_encoding.h).
//
// A blob arrives whole. Delta encoding replaces its bytes by a row of blob_delta, which gives the
// content when the base is known; the row of the blob stays. The name of a blob is the hash of the
// frame that was sent, and that frame cannot be reproduced to the byte. So a checksum of the
// content protects a delta. Old whole blobs may be archived (store/archive/archiving.h): then
// BlobBytes::Read returns the archived bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory/kept_values.h"
#include "store/delta/content_delta.h"
#include "store/records/records.h"
#include "store/sql/blob_bytes.h"
#include "store/sql/database.h"

namespace gprofhub::store {

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

  base::KeptValues<Content>& contents() { return contents_; }

 private:
  base::KeptValues<Content> contents_;
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
