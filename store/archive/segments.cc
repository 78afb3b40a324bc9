#include "store/archive/segments.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"

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
  ASSIGN_OR_RETURN(const std::string bytes, base::RandomBytes(sizeof(id)));
  std::memcpy(&id, bytes.data(), sizeof(id));
  return (id & INT64_MAX) | 1;
}

// The key of a segment that is in use; empty if there is none.
absl::StatusOr<std::string> SegmentInUse(sql::Database& database) {
  return sql::ReadIn(database, [](Session& session) -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(
        const Rows segment,
        session.Query(
            "SELECT object FROM segment WHERE id > 0 AND unused_since_us = 0 ORDER BY id LIMIT 1",
            {}));
    return segment.empty() ? std::string() : segment.front().Text(0);
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
  ASSIGN_OR_RETURN(std::string segment, SegmentInUse(database));
  known.segment = std::move(segment);
  known.name = ReadName(archive);
  RETURN_IF_ERROR(database.Read([&known](Session& session) {
    ASSIGN_OR_RETURN(const int64_t id, sql::ReadProperty(session, sql::kArchive));
    ASSIGN_OR_RETURN(const int64_t others,
                     sql::ReadProperty(session, sql::kArchiveTakeoverPending));
    known.id = id;
    known.is_others = others != 0;
    return absl::OkStatus();
  }));
  return known;
}

// Requires that the name was read.
absl::Status Compare(const Known& known) {
  if (known.name->empty() && known.segment.empty()) return absl::OkStatus();
  if (known.name->empty()) {
    return absl::FailedPreconditionError(
        "the archive is empty, but this store has archived blobs; pass their archive to --archive, "
        "or mount its directory");
  }
  if (known.id != 0 && *known.name == ObjectOf(known.id)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the archive belongs to another store; pass this store's archive to --archive, or an empty "
      "one");
}

// The store's id; creates it if necessary.
absl::StatusOr<int64_t> IdOf(sql::Database& database) {
  ASSIGN_OR_RETURN(const int64_t id, NewId());
  return sql::WriteIn(database, [&](Session& session) -> absl::StatusOr<int64_t> {
    RETURN_IF_ERROR(session.Execute(
        "INSERT INTO property (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
        {sql::kArchive, id}));
    return sql::ReadProperty(session, sql::kArchive);
  });
}

}  // namespace

absl::Status CheckArchive(sql::Database& database, ObjectStore& archive) {
  ASSIGN_OR_RETURN(const Known known, ReadKnown(database, archive));
  // Keys that expired must not keep a server from starting, as an outage does not.
  const absl::Status& read = known.name.status();
  if (absl::IsUnavailable(read) || absl::IsPermissionDenied(read)) return absl::OkStatus();
  if (!known.name.ok()) return known.name.status();
  return Compare(known);
}

absl::Status ClaimArchive(sql::Database& database, ObjectStore& archive) {
  ASSIGN_OR_RETURN(const Known known, ReadKnown(database, archive));
  if (known.is_others) {
    return absl::FailedPreconditionError(
        "this store was restored from a backup, and its original may still use the archive; when "
        "the original is no longer used, run `gprofhub admin archive --take-over`");
  }
  if (!known.name.ok()) return known.name.status();
  RETURN_IF_ERROR(Compare(known));
  if (!known.name->empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t id, IdOf(database));
  return archive.Put(kKey, ObjectOf(id));
}

absl::Status TakeArchiveOver(sql::Database& database, ObjectStore& archive, const Actor& by,
                             absl::Time now) {
  ASSIGN_OR_RETURN(const std::string segment, SegmentInUse(database));
  if (segment.empty()) {
    return absl::FailedPreconditionError(
        "nothing to take over: the store has no segments in an archive");
  }
  ASSIGN_OR_RETURN(const ObjectPage there, archive.List(segment, ""));
  if (there.objects.empty()) {
    return absl::FailedPreconditionError(
        "the archive has no segments of this store; pass its archive to --archive");
  }
  ASSIGN_OR_RETURN(const int64_t id, NewId());
  RETURN_IF_ERROR(database.Write([&](Session& session) {
    RETURN_IF_ERROR(sql::SetProperty(session, sql::kArchive, id));
    RETURN_IF_ERROR(sql::SetProperty(session, sql::kArchiveTakeoverPending, 0));
    return sql::AddAuditRow(session, by, {"", "archive.take-over", "", ""}, now);
  }));
  RETURN_IF_ERROR(archive.Delete(kKey));
  return archive.Put(kKey, ObjectOf(id));
}

namespace {

constexpr absl::string_view kBegin = "gphseg 1";
constexpr absl::string_view kEnd = "gphseg/1";
constexpr size_t kNumberBytes = 8;
constexpr size_t kHashBytes = 32;
constexpr size_t kListedBytes = kHashBytes + 2 * kNumberBytes;
constexpr size_t kTailBytes = 2 * kNumberBytes + 8;

void AppendNumber(uint64_t number, std::string& to) {
  for (size_t i = 0; i < kNumberBytes; ++i) to += static_cast<char>(number >> (8 * i));
}

uint64_t NumberAt(absl::string_view bytes, size_t at) {
  uint64_t number = 0;
  for (size_t i = 0; i < kNumberBytes; ++i) {
    number |= uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return number;
}

absl::Status NotASegment(absl::string_view why) {
  return absl::DataLossError(absl::StrCat("not a complete segment: ", why));
}

}  // namespace

SegmentWriter::SegmentWriter() : segment_(kBegin) {}

void SegmentWriter::Add(const BlobName& name, absl::string_view bytes) {
  blobs_.push_back({name, segment_.size(), bytes.size()});
  absl::StrAppend(&segment_, bytes);
}

uint64_t SegmentWriter::blob_bytes() const { return segment_.size() - kBegin.size(); }

std::string SegmentWriter::Finish() {
  const uint64_t list = segment_.size();
  for (const SegmentBlob& blob : blobs_) {
    absl::StrAppend(&segment_, absl::HexStringToBytes(blob.name));
    AppendNumber(blob.first_byte, segment_);
    AppendNumber(blob.length, segment_);
  }
  AppendNumber(list, segment_);
  AppendNumber(blobs_.size(), segment_);
  absl::StrAppend(&segment_, kEnd);
  return std::move(segment_);
}

absl::StatusOr<std::vector<SegmentBlob>> ReadSegmentIndex(absl::string_view segment) {
  if (segment.size() < kBegin.size() + kTailBytes) return NotASegment("it is too short");
  if (!absl::StartsWith(segment, kBegin)) return NotASegment("its header is not valid");
  if (!absl::EndsWith(segment, kEnd)) return NotASegment("its trailer is not valid");
  const size_t tail = segment.size() - kTailBytes;
  const uint64_t list = NumberAt(segment, tail);
  const uint64_t count = NumberAt(segment, tail + kNumberBytes);
  if (list < kBegin.size() || list > tail || (tail - list) % kListedBytes != 0 ||
      count != (tail - list) / kListedBytes) {
    return NotASegment("its index has an unexpected length");
  }
  std::vector<SegmentBlob> blobs;
  blobs.reserve(count);
  uint64_t next = kBegin.size();
  for (size_t at = list; at < tail; at += kListedBytes) {
    SegmentBlob blob = {absl::BytesToHexString(segment.substr(at, kHashBytes)),
                        NumberAt(segment, at + kHashBytes),
                        NumberAt(segment, at + kHashBytes + kNumberBytes)};
    if (blob.first_byte != next || blob.length > list - next) {
      return NotASegment("its blobs are not contiguous");
    }
    next += blob.length;
    blobs.push_back(std::move(blob));
  }
  if (next != list) return NotASegment("its index does not start after its blobs");
  return blobs;
}

namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

absl::StatusOr<std::vector<SegmentBlob>> NeededOf(sql::Database& database, int64_t segment_id) {
  using Result = absl::StatusOr<std::vector<SegmentBlob>>;
  return sql::ReadIn(database, [&](Session& session) -> Result {
    ASSIGN_OR_RETURN(
        const Rows rows,
        session.Query(
            "SELECT name, first_byte, length FROM archived_blob WHERE segment_id = $1 ORDER BY "
            "first_byte",
            {segment_id}));
    std::vector<SegmentBlob> blobs;
    for (const Row& row : rows) {
      blobs.push_back({row.Text(0), static_cast<uint64_t>(row.Number(1)),
                       static_cast<uint64_t>(row.Number(2))});
    }
    return blobs;
  });
}

}  // namespace

absl::StatusOr<WrittenSegment> PutSegment(ObjectStore& archive, SegmentWriter writer) {
  ASSIGN_OR_RETURN(const std::string random, base::RandomBytes(16));
  const std::string digits = absl::BytesToHexString(random);
  WrittenSegment segment;
  segment.object = absl::StrCat(kSegmentPrefix, digits.substr(0, 2), "/", digits.substr(2));
  segment.blob_bytes = writer.blob_bytes();
  segment.blobs = writer.blobs();
  const std::string bytes = writer.Finish();
  segment.size = bytes.size();
  RETURN_IF_ERROR(archive.Put(segment.object, bytes));
  return segment;
}

absl::StatusOr<int64_t> AddSegment(Session& session, const WrittenSegment& segment,
                                   absl::Time now) {
  ASSIGN_OR_RETURN(
      const Rows added,
      session.Query("INSERT INTO segment (object, size, blob_bytes, filled_us) VALUES ($1, $2, $3, "
                    "$4) RETURNING "
                    "id",
                    {segment.object, static_cast<int64_t>(segment.size),
                     static_cast<int64_t>(segment.blob_bytes), absl::ToUnixMicros(now)}));
  return added.front().Number(0);
}

absl::StatusOr<std::optional<ArchivedPlace>> FindArchived(Session& session, const BlobName& name) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          "SELECT segment.id, segment.object, archived_blob.first_byte, archived_blob.length "
          "FROM archived_blob JOIN segment ON segment.id = archived_blob.segment_id WHERE "
          "archived_blob.name = $1",
          {name}));
  if (rows.empty()) return std::nullopt;
  const Row row = rows.front();
  return ArchivedPlace{row.Number(0), row.Text(1), static_cast<uint64_t>(row.Number(2)),
                       static_cast<uint64_t>(row.Number(3))};
}

absl::StatusOr<std::vector<SegmentRow>> ListSegments(Session& session, int64_t after,
                                                     uint32_t limit) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query("SELECT id, object, size, blob_bytes, unused_since_us, "
                    "(SELECT CAST(coalesce(sum(length), 0) AS bigint) FROM archived_blob "
                    "WHERE archived_blob.segment_id = segment.id) FROM segment WHERE id > $1 ORDER "
                    "BY id LIMIT "
                    "$2",
                    {after, int64_t{limit}}));
  std::vector<SegmentRow> segments;
  for (const Row& row : rows) {
    segments.push_back({row.Number(0), row.Text(1), static_cast<uint64_t>(row.Number(2)),
                        static_cast<uint64_t>(row.Number(3)), static_cast<uint64_t>(row.Number(5)),
                        row.Number(4) != 0});
  }
  return segments;
}

absl::StatusOr<SegmentContents> ReadContents(sql::Database& database, ObjectStore& archive,
                                             const SegmentRow& segment) {
  ASSIGN_OR_RETURN(const std::vector<SegmentBlob> needed, NeededOf(database, segment.id));
  SegmentContents contents;
  if (needed.empty()) return contents;
  const absl::StatusOr<std::string> bytes = archive.Read(segment.object, 0, segment.size);
  if (absl::IsNotFound(bytes.status()) || absl::IsOutOfRange(bytes.status())) {
    contents.damaged = needed.size();
    return contents;
  }
  if (!bytes.ok()) return bytes.status();
  for (const SegmentBlob& blob : needed) {
    const absl::string_view all = *bytes;
    const bool lies_within =
        blob.first_byte <= all.size() && blob.length <= all.size() - blob.first_byte;
    const absl::string_view own =
        lies_within ? all.substr(blob.first_byte, blob.length) : absl::string_view();
    if (!lies_within || base::Sha256Hex(own) != blob.name) {
      ++contents.damaged;
    } else {
      contents.blobs.push_back({blob.name, std::string(own)});
    }
  }
  return contents;
}

namespace {

using sql::Session;

absl::Status NoArchive(const BlobName& name) {
  return base::WithPublicMessage(
      absl::FailedPreconditionError(
          absl::StrCat("blob ", name, " is archived; pass the archive with --archive")),
      absl::StrCat("blob ", name, " is archived, and this server has no archive; see its log"));
}

absl::Status Gone(const BlobName& name, const std::string& object) {
  return absl::DataLossError(
      absl::StrCat("blob ", name, ": its bytes are missing in the archive: no segment ", object));
}

// The archive refuses this server or cannot be reached. To the client both are an outage: its own
// token is in order.
absl::Status Unreadable(const BlobName& name, const absl::Status& status) {
  return base::WithPublicMessage(
      absl::UnavailableError(
          absl::StrCat("blob ", name, " cannot be read from the archive: ", status.message())),
      absl::StrCat("blob ", name, " cannot be read from the archive; see the server's log"));
}

class ArchivedBytes final : public sql::BlobBytes {
 public:
  ArchivedBytes(std::shared_ptr<sql::BlobBytes> real, std::shared_ptr<sql::Database> database,
                std::shared_ptr<ObjectStore> archive)
      : real_(std::move(real)), database_(std::move(database)), archive_(std::move(archive)) {}

  bool Stages(const Blob& blob) const override { return real_->Stages(blob); }
  absl::Status Stage(absl::Span<const Blob* const> blobs) override { return real_->Stage(blobs); }

  absl::StatusOr<std::optional<std::string>> Read(const BlobName& name) override {
    std::optional<ArchivedPlace> before;
    while (true) {
      absl::StatusOr<std::optional<std::string>> here = real_->Read(name);
      if (!here.ok() || here->has_value()) return here;
      ASSIGN_OR_RETURN(
          const std::optional<ArchivedPlace> place,
          sql::ReadIn(*database_, [&](Session& session) { return FindArchived(session, name); }));
      if (!place.has_value()) return std::nullopt;
      if (archive_ == nullptr) return NoArchive(name);
      // Between two questions it may have been put into another segment, or have been sent again.
      if (before == place) return Gone(name, before->object);
      absl::StatusOr<std::string> bytes =
          archive_->Read(place->object, place->first_byte, place->length);
      if (bytes.ok()) return *std::move(bytes);
      if (!absl::IsNotFound(bytes.status()) && !absl::IsOutOfRange(bytes.status())) {
        return Unreadable(name, bytes.status());
      }
      before = place;
    }
  }

  int parts() const override { return real_->parts(); }
  absl::StatusOr<std::vector<sql::LooseBytes>> List(int part) override { return real_->List(part); }
  absl::StatusOr<sql::RemovedBytes> RemoveUnnamed(absl::Span<const BlobName> names,
                                                  absl::Time changed_before) override {
    return real_->RemoveUnnamed(names, changed_before);
  }
  absl::StatusOr<sql::RemovedBytes> RemoveIncoming(absl::Time changed_before) override {
    return real_->RemoveIncoming(changed_before);
  }

 private:
  const std::shared_ptr<sql::BlobBytes> real_;
  const std::shared_ptr<sql::Database> database_;
  const std::shared_ptr<ObjectStore> archive_;
};

}  // namespace

absl::StatusOr<sql::Engine> WithArchive(const sql::Engine& engine,
                                        std::shared_ptr<ObjectStore> archive) {
  if (archive != nullptr) {
    RETURN_IF_ERROR(CheckArchive(*engine.database, *archive));
  }
  auto bytes = std::make_shared<ArchivedBytes>(engine.blob_bytes, engine.database, archive);
  return sql::Engine{engine.database, std::move(bytes), std::move(archive)};
}

namespace {

class ObservedArchive final : public ObjectStore {
 public:
  ObservedArchive(std::shared_ptr<ObjectStore> real, const OnStoreCall& on_call)
      : real_(std::move(real)), observer_("archive", on_call) {}

  absl::Status Put(absl::string_view key, absl::string_view bytes) override {
    return observer_.Tell("put", [&] { return real_->Put(key, bytes); });
  }
  absl::StatusOr<std::string> Read(absl::string_view key, uint64_t offset,
                                   uint64_t length) override {
    return observer_.Tell("read", [&] { return real_->Read(key, offset, length); });
  }
  absl::Status Delete(absl::string_view key) override {
    return observer_.Tell("delete", [&] { return real_->Delete(key); });
  }
  absl::StatusOr<ObjectPage> List(absl::string_view prefix, absl::string_view after) override {
    return observer_.Tell("list", [&] { return real_->List(prefix, after); });
  }

 private:
  const std::shared_ptr<ObjectStore> real_;
  const Observer observer_;
};

}  // namespace

std::shared_ptr<ObjectStore> Observed(std::shared_ptr<ObjectStore> archive,
                                      const OnStoreCall& on_call) {
  if (archive == nullptr || on_call == nullptr) return archive;
  return std::make_shared<ObservedArchive>(std::move(archive), on_call);
}

}  // namespace gprofhub::store
