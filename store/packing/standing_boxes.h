// Whether the boxes that rows name stand on the shelf, in full length. Their bytes are not read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/objects/object_store.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store {

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

// Boxes as objects, and the rows that tell of them.

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

// As an inspection tells it (store/inspection.h).
struct BoxFinding {
  bool is_damage = false;
  std::string kind;
  std::string subject;
  std::string advice;
};

// How many boxes it looked at. The shelf is listed once. Without a shelf (null) it only tells if
// one is needed. Boxes that no row names are being filled if they changed at `filled_before` or
// later.
absl::StatusOr<uint64_t> InspectBoxes(sql::Database& database, ObjectStore* shelf,
                                      absl::Time filled_before,
                                      const std::function<void(const BoxFinding&)>& tell);

}  // namespace gprofhub::store
