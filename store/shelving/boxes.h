// Boxes as objects, and the rows that tell of them.
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

// What the keys of boxes begin with.
inline constexpr absl::string_view kBoxPrefix = "boxes/";

// How full a box is made: large enough that an object's price does not count, and small enough to
// be held in memory when it is filled or emptied. A blob that is larger has a box of its own.
inline constexpr uint64_t kBoxBytes = uint64_t{16} << 20;

// A box that stands on the shelf. No row need name it.
struct FilledBox {
  std::string object;
  uint64_t size = 0;
  uint64_t blob_bytes = 0;
  std::vector<BoxedBlob> blobs;
};

// Puts a box on the shelf, under a key that nobody has had: so none that is being removed is taken
// for this one.
absl::StatusOr<FilledBox> PutBox(ObjectStore& shelf, BoxFiller filler);

// Its row; gives the row's id.
absl::StatusOr<int64_t> AddBox(sql::Session& session, const FilledBox& box, absl::Time now);

// Where a blob lies.
struct ShelvedPlace {
  int64_t box_id = 0;
  std::string object;
  uint64_t first_byte = 0;
  uint64_t length = 0;

  friend bool operator==(const ShelvedPlace&, const ShelvedPlace&) = default;
};

// nullopt if it is not shelved.
absl::StatusOr<std::optional<ShelvedPlace>> FindShelved(sql::Session& session,
                                                        const BlobName& name);

// A row of a box.
struct BoxRow {
  int64_t id = 0;
  std::string object;
  uint64_t size = 0;
  uint64_t blob_bytes = 0;    // of all blobs that it was filled with
  uint64_t needed_bytes = 0;  // of those that rows say to lie in it
  bool is_unused = false;     // it was seen that none is needed
};

// Those that follow an id, in the order of the ids.
absl::StatusOr<std::vector<BoxRow>> ListBoxes(sql::Session& session, int64_t after, uint32_t limit);

// What is needed of a box.
struct BoxContents {
  std::vector<Blob> blobs;
  uint64_t damaged = 0;  // further blobs, whose bytes are not there or not what they were
};

// Reads the whole box. Errors are those of the database and of a shelf that does not answer.
absl::StatusOr<BoxContents> ReadContents(sql::Database& database, ObjectStore& shelf,
                                         const BoxRow& box);

}  // namespace gprofhub::store
