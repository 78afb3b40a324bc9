#include "store/shelving/shelf_name.h"

#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
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

// The object's bytes, always as long.
std::string ObjectOf(int64_t id) {
  return absl::StrFormat("gprofhub keeps old bytes of store %016x here\n",
                         static_cast<uint64_t>(id));
}

// The object's bytes; empty if there is none.
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

// What the store knows of its shelf.
struct Known {
  int64_t id = 0;
  bool is_others = false;
  std::string box;  // the object of one that is in use; empty: there is none
};

absl::StatusOr<Known> ReadKnown(sql::Database& database) {
  return sql::ReadIn(database, [](Session& session) -> absl::StatusOr<Known> {
    Known known;
    const absl::StatusOr<int64_t> id = sql::ReadProperty(session, sql::kShelf);
    if (!id.ok()) return id.status();
    const absl::StatusOr<int64_t> others = sql::ReadProperty(session, sql::kShelfIsOthers);
    if (!others.ok()) return others.status();
    const absl::StatusOr<Rows> box = session.Query(
        "SELECT object FROM box WHERE id > 0 AND unused_since_us = 0 ORDER BY id LIMIT 1", {});
    if (!box.ok()) return box.status();
    return Known{*id, *others != 0, box->empty() ? std::string() : box->front().Text(0)};
  });
}

absl::Status Compare(const Known& known, const std::string& name) {
  if (name.empty() && known.box.empty()) return absl::OkStatus();
  if (name.empty()) {
    return absl::FailedPreconditionError(
        "the shelf is empty, and the store has boxes on one: name that shelf, or mount it");
  }
  if (known.id != 0 && name == ObjectOf(known.id)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the shelf has old bytes of another store: name this store's shelf, or a new one");
}

// The store's id, which it has from now on.
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
  const absl::StatusOr<Known> known = ReadKnown(database);
  if (!known.ok()) return known.status();
  const absl::StatusOr<std::string> name = ReadName(shelf);
  if (absl::IsUnavailable(name.status())) return absl::OkStatus();
  if (!name.ok()) return name.status();
  return Compare(*known, *name);
}

absl::Status ClaimShelf(sql::Database& database, ObjectStore& shelf) {
  const absl::StatusOr<Known> known = ReadKnown(database);
  if (!known.ok()) return known.status();
  if (known->is_others) {
    return absl::FailedPreconditionError(
        "this store was made of a backup, and its original may still use the shelf: when that is "
        "out of use for good, run `gprofhub admin shelve --take-over`");
  }
  const absl::StatusOr<std::string> name = ReadName(shelf);
  if (!name.ok()) return name.status();
  if (absl::Status status = Compare(*known, *name); !status.ok()) return status;
  if (!name->empty()) return absl::OkStatus();
  const absl::StatusOr<int64_t> id = IdOf(database);
  if (!id.ok()) return id.status();
  return shelf.Put(kKey, ObjectOf(*id));
}

absl::Status TakeShelfOver(sql::Database& database, ObjectStore& shelf, const Actor& by,
                           absl::Time now) {
  const absl::StatusOr<Known> known = ReadKnown(database);
  if (!known.ok()) return known.status();
  if (known->box.empty()) {
    return absl::FailedPreconditionError("the store has no box on a shelf: nothing to take over");
  }
  const absl::StatusOr<ObjectPage> there = shelf.List(known->box, "");
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
