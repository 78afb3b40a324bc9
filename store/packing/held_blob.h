// A blob as stored: whole, or delta-encoded against another blob.
//
// Blobs are stored whole. A week later a blob may be packed (packing.h): its row stays, its bytes
// are removed, and a row of packed_blob encodes its content relative to a base (packing.h). A
// packed blob is verified by a checksum of the content, because its name is the hash of the
// original frame, which is not reproduced byte for byte. Old whole blobs may be archived
// (store/shelving/shelving.h): BlobBytes::Read reads them from the archive, transparently for this
// file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory/kept_values.h"
#include "store/packing/content_delta.h"
#include "store/records/records.h"
#include "store/sql/blob_bytes.h"
#include "store/sql/database.h"

namespace gprofhub::store {

struct HeldBlob {
  // The original bytes; for a packed blob, another frame with the same content.
  std::string bytes;
  bool is_packed = false;  // true: the content's checksum was verified
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

// NOT_FOUND if no row names the blob. DATA_LOSS if its bytes are missing, or if a packed blob fails
// its checksum. The bytes of a whole blob are not verified.
absl::StatusOr<HeldBlob> ReadHeldBlob(sql::Database& database, sql::BlobBytes& bytes,
                                      const BlobName& name);

// As ReadHeldBlob, and DATA_LOSS if the bytes of a whole blob no longer hash to its name. Without
// `bases` each base is read again.
absl::StatusOr<HeldBlob> ReadSoundBlob(sql::Database& database, sql::BlobBytes& bytes,
                                       const BlobName& name, KeptBases* bases = nullptr);

// A row of packed_blob.
struct PackedBlob {
  BlobName name;
  bool is_of_frame = false;  // its content was compressed as a zstd frame
  std::string bytes;         // content_delta.h
};

// The subset of `names` that have rows and are whole (sql::kIsWhole), in the order of the names.
absl::StatusOr<std::vector<BlobName>> FindWhole(sql::Session& session, const sql::Dialect& dialect,
                                                const std::vector<BlobName>& names);

// `base_id`: a row of blob_base.
absl::Status AddPackedBlob(sql::Session& session, int64_t base_id, const PackedBlob& packed);

}  // namespace gprofhub::store
