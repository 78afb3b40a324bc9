// Shelving: old bytes are moved out of the database, to where they cost little.
//
// A database of terabytes is slow to copy and to restore, and most of its bytes nobody reads. So
// blobs whose runs came more than a week ago are put into boxes (box_format.h), some 16 MiB each,
// and these on a shelf: a bucket of an object store, or a folder (store/objects/). Only whole blobs
// are shelved. What is packed (store/packing/packing.h) stays in the database; its base may be
// shelved. So who has a shelf shelves no later than packing would come, and packs nothing: whole
// blobs on a shelf cost less than packed ones in a database.
//
// A box is filled, put on the shelf, and durable there. Then one transaction adds its row, the rows
// that say which blob lies where, and removes the bytes from the database. Whoever reads finds the
// one or the other. A process that ends in between leaves a box that no row names; tidying removes
// it a day later (tidying.h). Targets are taken in the order of their ids, up to the first that is
// younger than wanted; how far that is the database keeps, in the same transaction.
//
// Who sends a shelved blob again makes it whole, as with a packed one: its place in the box is no
// longer needed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/objects/object_store.h"
#include "store/packing/standing_boxes.h"
#include "store/records/records.h"

namespace gprofhub::store {

namespace sql {
class BlobBytes;
class Database;
}  // namespace sql

// What shelving did.
struct Shelved {
  uint64_t targets = 0;  // looked at
  uint64_t boxes = 0;
  uint64_t blobs = 0;
  uint64_t bytes = 0;  // of the blobs
};

struct ShelveOptions {
  // Begins with the oldest target again: what an earlier round left, for a newer run named it that
  // has been deleted since, is due now.
  bool from_start = false;
  // Runs that came before that are shelved.
  absl::Duration older_than = absl::Hours(7 * 24);
  // What does not fill a box stays until more is old: else each round would leave a small box.
  bool only_full = false;
  uint64_t box_bytes = kBoxBytes;
  uint32_t targets_at_once = 100;
  std::function<absl::Time()> now;
  // Is called between the steps: it may wait for a while. An error ends the shelving.
  std::function<absl::Status(const Shelved& so_far)> pause = [](const Shelved&) {
    return absl::OkStatus();
  };
};

// What bringing back did.
struct BroughtBack {
  uint64_t boxes = 0;
  uint64_t blobs = 0;
  uint64_t bytes = 0;
  uint64_t damaged = 0;  // blobs that stay where they are said to be: their bytes are not there
};

struct BringBackOptions {
  std::function<absl::Time()> now;
  std::function<absl::Status(const BroughtBack& so_far)> pause = [](const BroughtBack&) {
    return absl::OkStatus();
  };
};

// A part of the store: store/open_store.h says what holds for all of them. Without a shelf (null)
// its methods are FAILED_PRECONDITION.
class Shelving {
 public:
  Shelving(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes,
           std::shared_ptr<ObjectStore> shelf);

  bool has_shelf() const { return shelf_ != nullptr; }

  // Shelves all that is due. UNAVAILABLE while a backup is being made; FAILED_PRECONDITION if the
  // shelf is another store's (shelf_name.h). What was done before an error stays done. A blob that
  // is damaged is left as it is: an inspection tells of it.
  absl::StatusOr<Shelved> Shelve(const ShelveOptions& options) const;

  // Makes all shelved blobs whole, so that the store needs no shelf any more. Boxes stay on the
  // shelf: backups may refer to them. What was done before an error stays done.
  absl::StatusOr<BroughtBack> BringBack(const BringBackOptions& options, const Actor& by) const;

  // The shelf of a store that was made of a backup is its own from now on (shelf_name.h).
  absl::Status TakeOver(const Actor& by, absl::Time now) const;

 private:
  struct Step;
  // Fills one box. How many blobs it took, and their bytes.
  absl::StatusOr<Shelved> FillOne(const ShelveOptions& options, const Step& step) const;
  absl::StatusOr<BroughtBack> EmptyOne(const BoxRow& box) const;

  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<sql::BlobBytes> bytes_;
  std::shared_ptr<ObjectStore> shelf_;
};

// Tidying: boxes of which little is needed, or nothing.
//
// Blobs go (store/garbage.h) and are sent again, and the rows that say where they lie go
// with that. A box cannot be changed. So:
//
//   1. Of a box of which less than half is needed, that half is put into a new box, together with
//      what is needed of others. Both boxes have it until then, and rows name one of them.
//   2. A box that has nothing of use is marked with the time. When it was marked for the time that
//      boxes stay, its row goes, and then the object. A backup that was made before the mark has
//      rows that name the box: so boxes stay at least as long as backups are kept.
//   3. Boxes that no row names, and that have stood for a day, are removed: a process ended while
//   it
//      put them there.
//
// Each step is a transaction. A process that is killed leaves a consistent store and shelf.

namespace sql {
class Database;
}  // namespace sql

// What tidying did.
struct Tidied {
  uint64_t moved = 0;  // blobs, into new boxes
  uint64_t moved_bytes = 0;
  uint64_t unused = 0;   // boxes that were marked
  uint64_t removed = 0;  // boxes
  uint64_t removed_bytes = 0;
};

struct TidyOptions {
  // How long a box stays that has nothing of use.
  absl::Duration keep = absl::Hours(7 * 24);
  uint64_t box_bytes = kBoxBytes;
  uint32_t boxes_at_once = 200;
  std::function<absl::Time()> now;
  // Is called between the steps: it may wait for a while. An error ends the tidying.
  std::function<absl::Status()> pause = [] { return absl::OkStatus(); };
};

// A part of the store: store/open_store.h says what holds for all of them.
class Tidying {
 public:
  Tidying(std::shared_ptr<sql::Database> database, std::shared_ptr<ObjectStore> shelf)
      : database_(std::move(database)), shelf_(std::move(shelf)) {}

  // FAILED_PRECONDITION if there is no shelf, or it is not to be written to (shelf_name.h). What
  // was done before an error stays done.
  absl::StatusOr<Tidied> Tidy(const TidyOptions& options) const;

 private:
  absl::Status Move(const TidyOptions& options, Tidied& tidied) const;
  absl::Status Mark(const TidyOptions& options, Tidied& tidied) const;
  absl::Status Remove(const TidyOptions& options, Tidied& tidied) const;
  absl::Status Sweep(const TidyOptions& options, Tidied& tidied) const;

  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<ObjectStore> shelf_;
};

}  // namespace gprofhub::store
