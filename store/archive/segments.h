// Segments as objects, and their rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/objects/object_store.h"
#include "store/records/records.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"

namespace gprofhub::store {

// The store that an archive belongs to.
//
// An archive has an object with the id of its store, and the store keeps the same id. So an archive
// of another store is refused, and so is a folder that is not mounted. A store that was restored
// from a backup has the id of the original. It may read the segments. But the original may still
// write to the archive, and two stores that compact one archive would remove each other's segments.
// So the restored store writes there only after an operator had it take the archive over. That
// changes the id, and the original is refused from then on.

// FAILED_PRECONDITION if the archive is known to belong to another store. OK if the archive is
// unavailable or refuses the credentials: reading from it returns UNAVAILABLE.
absl::Status CheckArchive(sql::Database& database, ObjectStore& archive);

// Before writing to the archive: the same, and an archive without an owner becomes this store's.
// FAILED_PRECONDITION also if it has to be taken over first. UNAVAILABLE if it does not answer.
absl::Status ClaimArchive(sql::Database& database, ObjectStore& archive);

// Makes this store the owner of an archive that has its segments. FAILED_PRECONDITION if the
// archive or the store has none. May be retried after other errors.
absl::Status TakeArchiveOver(sql::Database& database, ObjectStore& archive, const Actor& by,
                             absl::Time now);

// Reads archived blobs as if they were in the database.

// Engine wrapper whose BlobBytes::Read also returns archived bytes, unchecked as all bytes it
// returns. Read is DATA_LOSS if the archive lacks them, and FAILED_PRECONDITION without an archive
// (null). Errors are those of CheckArchive.
absl::StatusOr<sql::Engine> WithArchive(const sql::Engine& engine,
                                        std::shared_ptr<ObjectStore> archive);

// The error of an operation that needs an archive, without one.

inline absl::Status NoArchiveIsNamed() {
  return absl::FailedPreconditionError(
      "no archive is configured; pass --archive, or set GPROFHUB_ARCHIVE");
}

// Archive wrapper that reports the latency of every call, as ObservedEngine does of the engine.

// Wraps `archive`. Reports calls of the part "archive", operations "put", "read", "delete" and
// "list". Returns `archive` itself if it or `on_call` is null.
std::shared_ptr<ObjectStore> Observed(std::shared_ptr<ObjectStore> archive,
                                      const OnStoreCall& on_call);

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

// Prefix of the keys of segments.
inline constexpr absl::string_view kSegmentPrefix = "segments/";

// Target size of a segment: large enough that the price per object does not matter, small enough to
// be held in memory. A larger blob has a segment of its own.
inline constexpr uint64_t kSegmentBytes = uint64_t{16} << 20;

// A segment in the archive, with or without a row.
struct WrittenSegment {
  std::string object;
  uint64_t size = 0;
  uint64_t blob_bytes = 0;
  std::vector<SegmentBlob> blobs;
};

// Writes a segment to the archive under a random key that was never used: so a segment that is
// being removed is never mistaken for this one.
absl::StatusOr<WrittenSegment> PutSegment(ObjectStore& archive, SegmentWriter writer);

// Adds its row. Returns the id.
absl::StatusOr<int64_t> AddSegment(sql::Session& session, const WrittenSegment& segment,
                                   absl::Time now);

// Where a blob lies.
struct ArchivedPlace {
  int64_t segment_id = 0;
  std::string object;
  uint64_t first_byte = 0;
  uint64_t length = 0;

  friend bool operator==(const ArchivedPlace&, const ArchivedPlace&) = default;
};

// nullopt if it is not archived.
absl::StatusOr<std::optional<ArchivedPlace>> FindArchived(sql::Session& session,
                                                          const BlobName& name);

// A row of a segment.
struct SegmentRow {
  int64_t id = 0;
  std::string object;
  uint64_t size = 0;
  uint64_t blob_bytes = 0;    // of all blobs that it was filled with
  uint64_t needed_bytes = 0;  // of those that rows say to lie in it
  bool is_unused = false;     // it was seen that none is needed
};

// The next rows after an id, in the order of the ids.
absl::StatusOr<std::vector<SegmentRow>> ListSegments(sql::Session& session, int64_t after,
                                                     uint32_t limit);

// The needed blobs of a segment.
struct SegmentContents {
  std::vector<Blob> blobs;
  uint64_t damaged = 0;  // further blobs, whose bytes are not there or not what they were
};

// Reads the whole segment. Errors are those of the database and of an archive that is unavailable.
absl::StatusOr<SegmentContents> ReadContents(sql::Database& database, ObjectStore& archive,
                                             const SegmentRow& segment);

}  // namespace gprofhub::store
