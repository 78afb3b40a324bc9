#include "store/shelving/shelf_name.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/system/random_bytes.h"
#include "store/sql/audit_rows.h"
#include "store/sql/properties.h"
#include "store/sql/transaction.h"

namespace gprofhub::store {
namespace {

using sql::Rows;
using sql::Session;

constexpr absl::string_view kKey = "gprofhub-store";

// The object's bytes; their length is constant.
std::string ObjectOf(int64_t id) {
  return absl::StrFormat("gprofhub keeps old bytes of store %016x here\n",
                         static_cast<uint64_t>(id));
}

// The object's bytes; empty if it does not exist.
absl::StatusOr<std::string> ReadName(ObjectStore& shelf) {
  absl::StatusOr<std::string> name = shelf.Read(kKey, 0, ObjectOf(0).size());
  if (absl::IsNotFound(name.status())) return std::string();
  if (absl::IsOutOfRange(name.status())) return std::string("something else");
  return name;
}

absl::StatusOr<int64_t> NewId() {
  int64_t id = 0;
  const absl::StatusOr<std::string> bytes = base::RandomBytes(sizeof(id));
  if (!bytes.ok()) return bytes.status();
  std::memcpy(&id, bytes->data(), sizeof(id));
  return (id & INT64_MAX) | 1;
}

// The object of a segment in use; empty: no segment is in use.
absl::StatusOr<std::string> BoxInUse(sql::Database& database) {
  return sql::ReadIn(database, [](Session& session) -> absl::StatusOr<std::string> {
    const absl::StatusOr<Rows> box = session.Query(
        "SELECT object FROM box WHERE id > 0 AND unused_since_us = 0 ORDER BY id LIMIT 1", {});
    if (!box.ok()) return box.status();
    return box->empty() ? std::string() : box->front().Text(0);
  });
}

// The identities that the store and the archive have recorded.
struct Known {
  std::string box;                   // as BoxInUse
  absl::StatusOr<std::string> name;  // as ReadName
  int64_t id = 0;
  bool is_others = false;
};

// A process that claims an archive sets the store's id, writes the archive's name object, and then
// adds segments. Another process may be doing that now. So the three are read in reverse order: a
// reader that sees a segment also sees the name, and a reader that sees the name also sees the id.
absl::StatusOr<Known> ReadKnown(sql::Database& database, ObjectStore& shelf) {
  Known known;
  absl::StatusOr<std::string> box = BoxInUse(database);
  if (!box.ok()) return box.status();
  known.box = *std::move(box);
  known.name = ReadName(shelf);
  absl::Status status = database.Read([&known](Session& session) {
    const absl::StatusOr<int64_t> id = sql::ReadProperty(session, sql::kShelf);
    if (!id.ok()) return id.status();
    const absl::StatusOr<int64_t> others = sql::ReadProperty(session, sql::kShelfIsOthers);
    if (!others.ok()) return others.status();
    known.id = *id;
    known.is_others = *others != 0;
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return known;
}

// Requires that the name was read.
absl::Status Compare(const Known& known) {
  if (known.name->empty() && known.box.empty()) return absl::OkStatus();
  if (known.name->empty()) {
    return absl::FailedPreconditionError(
        "the shelf is empty, and the store has boxes on one: name that shelf, or mount it");
  }
  if (known.id != 0 && *known.name == ObjectOf(known.id)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the shelf has old bytes of another store: name this store's shelf, or a new one");
}

// The store's id; creates it if necessary.
absl::StatusOr<int64_t> IdOf(sql::Database& database) {
  const absl::StatusOr<int64_t> id = NewId();
  if (!id.ok()) return id.status();
  return sql::WriteIn(database, [&](Session& session) -> absl::StatusOr<int64_t> {
    absl::Status status = session.Execute(
        "INSERT INTO property (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
        {sql::kShelf, *id});
    if (!status.ok()) return status;
    return sql::ReadProperty(session, sql::kShelf);
  });
}

}  // namespace

absl::Status CheckShelf(sql::Database& database, ObjectStore& shelf) {
  const absl::StatusOr<Known> known = ReadKnown(database, shelf);
  if (!known.ok()) return known.status();
  if (absl::IsUnavailable(known->name.status())) return absl::OkStatus();
  if (!known->name.ok()) return known->name.status();
  return Compare(*known);
}

absl::Status ClaimShelf(sql::Database& database, ObjectStore& shelf) {
  const absl::StatusOr<Known> known = ReadKnown(database, shelf);
  if (!known.ok()) return known.status();
  if (known->is_others) {
    return absl::FailedPreconditionError(
        "this store was made of a backup, and its original may still use the shelf: when that is "
        "out of use for good, run `gprofhub admin shelve --take-over`");
  }
  if (!known->name.ok()) return known->name.status();
  if (absl::Status status = Compare(*known); !status.ok()) return status;
  if (!known->name->empty()) return absl::OkStatus();
  const absl::StatusOr<int64_t> id = IdOf(database);
  if (!id.ok()) return id.status();
  return shelf.Put(kKey, ObjectOf(*id));
}

absl::Status TakeShelfOver(sql::Database& database, ObjectStore& shelf, const Actor& by,
                           absl::Time now) {
  const absl::StatusOr<std::string> box = BoxInUse(database);
  if (!box.ok()) return box.status();
  if (box->empty()) {
    return absl::FailedPreconditionError("the store has no box on a shelf: nothing to take over");
  }
  const absl::StatusOr<ObjectPage> there = shelf.List(*box, "");
  if (!there.ok()) return there.status();
  if (there->objects.empty()) {
    return absl::FailedPreconditionError("the shelf has no box of this store: name another");
  }
  const absl::StatusOr<int64_t> id = NewId();
  if (!id.ok()) return id.status();
  absl::Status status = database.Write([&](Session& session) {
    absl::Status set = sql::SetProperty(session, sql::kShelf, *id);
    if (set.ok()) set = sql::SetProperty(session, sql::kShelfIsOthers, 0);
    if (set.ok()) set = sql::AddAuditRow(session, by, {"", "shelf.take-over", "", ""}, now);
    return set;
  });
  if (status.ok()) status = shelf.Delete(kKey);
  if (status.ok()) status = shelf.Put(kKey, ObjectOf(*id));
  return status;
}

}  // namespace gprofhub::store
