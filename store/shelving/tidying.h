// Tidying: boxes of which little is needed, or nothing.
//
// Blobs go (store/upkeep/garbage.h) and are sent again, and the rows that say where they lie go
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
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/objects/object_store.h"
#include "store/shelving/boxes.h"

namespace gprofhub::store {

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

// A part of the store: store/store.h says what holds for all of them.
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
