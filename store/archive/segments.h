// Segments as objects, and their rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/archive/segment_format.h"
#include "store/objects/object_store.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store {

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
