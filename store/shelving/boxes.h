// Archive segments: their objects and their rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/objects/object_store.h"
#include "store/records/records.h"
#include "store/shelving/box_format.h"
#include "store/sql/database.h"

namespace gprofhub::store {

// Key prefix of segments.
inline constexpr absl::string_view kBoxPrefix = "boxes/";

// Target size of a segment: large enough that the price per object does not matter, small enough to
// be held in memory while it is built or read. A larger blob has a segment of its own.
inline constexpr uint64_t kBoxBytes = uint64_t{16} << 20;

// A segment in the archive. It may have no row.
struct FilledBox {
  std::string object;
  uint64_t size = 0;
  uint64_t blob_bytes = 0;
  std::vector<BoxedBlob> blobs;
};

// Stores a segment under a fresh key, so that it cannot be confused with one that is being removed.
absl::StatusOr<FilledBox> PutBox(ObjectStore& shelf, BoxFiller filler);

// Adds the segment's row; returns its id.
absl::StatusOr<int64_t> AddBox(sql::Session& session, const FilledBox& box, absl::Time now);

// Place of an archived blob.
struct ShelvedPlace {
  int64_t box_id = 0;
  std::string object;
  uint64_t first_byte = 0;
  uint64_t length = 0;

  friend bool operator==(const ShelvedPlace&, const ShelvedPlace&) = default;
};

// nullopt if the blob is not archived.
absl::StatusOr<std::optional<ShelvedPlace>> FindShelved(sql::Session& session,
                                                        const BlobName& name);

// A segment's row.
struct BoxRow {
  int64_t id = 0;
  std::string object;
  uint64_t size = 0;
  uint64_t blob_bytes = 0;    // of all its blobs when it was built
  uint64_t needed_bytes = 0;  // of the blobs whose rows reference it
  bool is_unused = false;     // marked: no row references it
};

// The segments after an id, in the order of their ids.
absl::StatusOr<std::vector<BoxRow>> ListBoxes(sql::Session& session, int64_t after, uint32_t limit);

// The referenced blobs of a segment.
struct BoxContents {
  std::vector<Blob> blobs;
  uint64_t damaged = 0;  // further blobs whose bytes are missing or altered
};

// Reads the whole segment. Errors are those of the database and of an unreachable archive.
absl::StatusOr<BoxContents> ReadContents(sql::Database& database, ObjectStore& shelf,
                                         const BoxRow& box);

}  // namespace gprofhub::store
