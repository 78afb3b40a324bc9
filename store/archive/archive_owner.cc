#include "store/archive/archive_owner.h"

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

// The object's bytes; empty if there is none.
absl::StatusOr<std::string> ReadName(ObjectStore& archive) {
  absl::StatusOr<std::string> name = archive.Read(kKey, 0, ObjectOf(0).size());
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

// The key of a segment that is in use; empty if there is none.
absl::StatusOr<std::string> SegmentInUse(sql::Database& database) {
  return sql::ReadIn(database, [](Session& session) -> absl::StatusOr<std::string> {
    const absl::StatusOr<Rows> segment = session.Query(
        "SELECT object FROM segment WHERE id > 0 AND unused_since_us = 0 ORDER BY id LIMIT 1", {});
    if (!segment.ok()) return segment.status();
    return segment->empty() ? std::string() : segment->front().Text(0);
  });
}

// The store's and the archive's view of their relation.
struct Known {
  std::string segment;               // as SegmentInUse
  absl::StatusOr<std::string> name;  // as ReadName
  int64_t id = 0;
  bool is_others = false;
};

// A process that claims an archive writes the store's id, then the owner object, then segments.
// Another process may be doing that now. So this reads in the opposite order: a reader that sees a
// segment sees the owner, and one that sees the owner sees the id.
absl::StatusOr<Known> ReadKnown(sql::Database& database, ObjectStore& archive) {
  Known known;
  absl::StatusOr<std::string> segment = SegmentInUse(database);
  if (!segment.ok()) return segment.status();
  known.segment = *std::move(segment);
  known.name = ReadName(archive);
  absl::Status status = database.Read([&known](Session& session) {
    const absl::StatusOr<int64_t> id = sql::ReadProperty(session, sql::kArchive);
    if (!id.ok()) return id.status();
    const absl::StatusOr<int64_t> others = sql::ReadProperty(session, sql::kArchiveTakeoverPending);
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
  if (known.name->empty() && known.segment.empty()) return absl::OkStatus();
  if (known.name->empty()) {
    return absl::FailedPreconditionError(
        "the archive is empty, but this store has archived blobs: pass their archive to --archive, "
        "or "
        "mount its folder");
  }
  if (known.id != 0 && *known.name == ObjectOf(known.id)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the archive belongs to another store: pass this store's archive to --archive, or an empty "
      "one");
}

// The store's id; creates it if necessary.
absl::StatusOr<int64_t> IdOf(sql::Database& database) {
  const absl::StatusOr<int64_t> id = NewId();
  if (!id.ok()) return id.status();
  return sql::WriteIn(database, [&](Session& session) -> absl::StatusOr<int64_t> {
    absl::Status status = session.Execute(
        "INSERT INTO property (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
        {sql::kArchive, *id});
    if (!status.ok()) return status;
    return sql::ReadProperty(session, sql::kArchive);
  });
}

}  // namespace

absl::Status CheckArchive(sql::Database& database, ObjectStore& archive) {
  const absl::StatusOr<Known> known = ReadKnown(database, archive);
  if (!known.ok()) return known.status();
  if (absl::IsUnavailable(known->name.status())) return absl::OkStatus();
  if (!known->name.ok()) return known->name.status();
  return Compare(*known);
}

absl::Status ClaimArchive(sql::Database& database, ObjectStore& archive) {
  const absl::StatusOr<Known> known = ReadKnown(database, archive);
  if (!known.ok()) return known.status();
  if (known->is_others) {
    return absl::FailedPreconditionError(
        "this store was made of a backup, and its original may still use the archive: when that is "
        "out of use for good, run `gprofhub admin archive --take-over`");
  }
  if (!known->name.ok()) return known->name.status();
  if (absl::Status status = Compare(*known); !status.ok()) return status;
  if (!known->name->empty()) return absl::OkStatus();
  const absl::StatusOr<int64_t> id = IdOf(database);
  if (!id.ok()) return id.status();
  return archive.Put(kKey, ObjectOf(*id));
}

absl::Status TakeArchiveOver(sql::Database& database, ObjectStore& archive, const Actor& by,
                             absl::Time now) {
  const absl::StatusOr<std::string> segment = SegmentInUse(database);
  if (!segment.ok()) return segment.status();
  if (segment->empty()) {
    return absl::FailedPreconditionError(
        "nothing to take over: the store has no segments in an archive");
  }
  const absl::StatusOr<ObjectPage> there = archive.List(*segment, "");
  if (!there.ok()) return there.status();
  if (there->objects.empty()) {
    return absl::FailedPreconditionError(
        "the archive has no segments of this store: pass its archive to --archive");
  }
  const absl::StatusOr<int64_t> id = NewId();
  if (!id.ok()) return id.status();
  absl::Status status = database.Write([&](Session& session) {
    absl::Status set = sql::SetProperty(session, sql::kArchive, *id);
    if (set.ok()) set = sql::SetProperty(session, sql::kArchiveTakeoverPending, 0);
    if (set.ok()) set = sql::AddAuditRow(session, by, {"", "archive.take-over", "", ""}, now);
    return set;
  });
  if (status.ok()) status = archive.Delete(kKey);
  if (status.ok()) status = archive.Put(kKey, ObjectOf(*id));
  return status;
}

}  // namespace gprofhub::store
